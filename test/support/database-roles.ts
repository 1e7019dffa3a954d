import { randomBytes } from 'node:crypto';
import { connectClient } from '../../shared/postgres/connection/servers/servers.ts';
import { grantsSql, nameOfRole, roleNames } from '../../shared/postgres/roles/grants.ts';
import { atDatabase } from '../../shared/runtime/configuration/database-url.ts';

/** `all` may do what the engine and the api may, for one process of all services. */
export type ServiceRole = (typeof roleNames)[number] | 'all';

export interface DatabaseRoles {
  /** Returns the address with the name and password of the role. */
  urlFor(role: ServiceRole, url: string): string;
  /** The database has to be gone. */
  drop(): Promise<void>;
}

/** The roles of an installation as `muster grants` prints them, for one database: roles are the whole server's. */
export async function createRoles(databaseUrl: string): Promise<DatabaseRoles> {
  const [, prefix = ''] = /^\w+:\/\/[^/]*\/(\w+)/.exec(databaseUrl) ?? [];
  const password = randomBytes(16).toString('hex');
  const names = [...roleNames.map((role) => nameOfRole(prefix, role)), `${prefix}_all`];
  await query(
    databaseUrl,
    names.map((name) => `create role ${name} login password '${password}'`).join(';'),
    grantsSql(prefix),
    `grant ${nameOfRole(prefix, 'engine')}, ${nameOfRole(prefix, 'api')} to ${prefix}_all`,
  );
  return {
    urlFor: (role, url) => url.replace(/\/\/([^/@]*@)?/, `//${prefix}_${role}:${password}@`),
    drop: () => query(atDatabase(databaseUrl, 'postgres'), `drop role ${names.join(', ')}`),
  };
}

async function query(url: string, ...texts: string[]): Promise<void> {
  const client = await connectClient(url);
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
}
