import pg from 'pg';
import { connectClient } from '../../../../shared/postgres/connection/servers/servers.ts';
import { migrate } from '../../../../shared/postgres/connection/migrate.ts';
import { StartRefusedError } from '../../../../shared/runtime/process/start-refused.ts';

const folder = new URL('../../../../migrations/connectors/', import.meta.url);

const insufficientPrivilege = '42501';

/**
 * Migrates the connectors' own schema to this version. Creates the schema if it is missing.
 * @throws {StartRefusedError} if the role is not allowed to create the schema
 */
export async function prepareStore(databaseUrl: string): Promise<string[]> {
  const client = await connectClient(databaseUrl);
  try {
    // The query comes first because `create schema if not exists` needs the right to create schemas even if the schema
    // exists.
    const { rowCount } = await client.query(`select from pg_namespace where nspname = 'connectors'`);
    if (rowCount === 0) await client.query('create schema if not exists connectors');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== insufficientPrivilege) throw error;
    const fix = 'run `create schema connectors authorization …` with the name of the role';
    throw new StartRefusedError(`DATABASE_URL: ${error.message}, and there is no schema connectors: ${fix}`, {
      cause: error,
    });
  } finally {
    await client.end();
  }
  return await migrate(databaseUrl, { folder, schema: 'connectors' });
}
