import { randomBytes } from 'node:crypto';
import { connectClient } from '../../shared/postgres/connection/servers/servers.ts';
import { grantsSql, nameOfRole, roleNames } from '../../shared/postgres/roles/grants.ts';
import { atDatabase } from '../../shared/runtime/configuration/database-url.ts';

/** `all` has the rights of engine and api together, for one process of all services. */
export type ServiceRole = (typeof roleNames)[number] | 'all';

export interface DatabaseRoles {
  /** Returns the address with the name and password of the role. */
  urlFor(role: ServiceRole, url: string): string;
  /** Drops the roles. The database must have been dropped before. */
  drop(): Promise<void>;
}

/**
 * Creates the roles of an installation for one database, as `muster grants` prints them. Roles belong to the whole
 * server.
 */
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
