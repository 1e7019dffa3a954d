import { connectClient } from '../../../../shared/postgres/connection/servers/servers.ts';
import { migrate } from '../../../../shared/postgres/connection/migrate.ts';

const folder = new URL('../../../../migrations/connectors/', import.meta.url);

/** Brings the connectors' own schema to this version. Creates it if it is missing, and the role may. */
export async function prepareStore(databaseUrl: string): Promise<string[]> {
  const client = await connectClient(databaseUrl);
  try {
    // Without the right to create schemas, `create schema if not exists` fails for an existing one too.
    const { rowCount } = await client.query(`select from pg_namespace where nspname = 'connectors'`);
    if (rowCount === 0) await client.query('create schema if not exists connectors');
  } finally {
    await client.end();
  }
  return await migrate(databaseUrl, { folder, schema: 'connectors' });
}
