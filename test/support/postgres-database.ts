import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { createDatabase, dropDatabase } from '../../shared/postgres/connection/databases.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';

export interface TestDatabase {
  url: string;
  /** Ends all connections to the database and drops it. */
  drop(): Promise<void>;
}

/**
 * Creates a database with the newest schema on the server of the integration project. Most test files need one
 * database, which `databaseForFile()` provides more easily.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const [serverUrl, template, name] = [inject('databaseUrl'), inject('templateDatabase'), nameOfDatabase()];
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  try {
    await server.query(`create database ${name} template ${template} strategy file_copy`);
    await server.query(unusualDefaults(name));
  } finally {
    await server.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => dropDatabase(serverUrl, name) };
}

/** Returns SQL that sets defaults which a database may legally have. No session of the product may depend on them. */
export function unusualDefaults(database: string): string {
  const settings = {
    datestyle: 'SQL, DMY',
    intervalstyle: 'sql_standard',
    timezone: 'Asia/Kathmandu',
    extra_float_digits: '-15',
    bytea_output: 'escape',
    array_nulls: 'off',
    default_transaction_isolation: 'repeatable read',
  };
  return Object.entries(settings)
    .map(([name, value]) => `alter database ${database} set ${name} = ${pg.escapeLiteral(value)};`)
    .join('\n');
}

/** Creates a test database on another server. */
export async function createTestDatabaseOn(serverUrl: string): Promise<TestDatabase> {
  const database = await createEmptyTestDatabase(serverUrl);
  await migrate(database.url);
  return database;
}

export async function createEmptyTestDatabase(serverUrl = inject('databaseUrl')): Promise<TestDatabase> {
  const name = nameOfDatabase();
  const url = await createDatabase(serverUrl, name);
  return { url, drop: () => dropDatabase(serverUrl, name) };
}

function nameOfDatabase(): string {
  return `test_${randomBytes(6).toString('hex')}`;
}
