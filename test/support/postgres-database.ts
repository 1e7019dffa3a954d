import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createDatabase, dropDatabase } from '../../shared/postgres/databases.ts';
import { migrate } from '../../shared/postgres/migrate.ts';

export interface TestDatabase {
  url: string;
  /** Ends all connections to it and removes it. */
  drop(): Promise<void>;
}

/** A database of its own for one test file, on the server that the integration project starts, with the newest schema. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createTestDatabaseOn(inject('databaseUrl'));
}

/** The same on another server. */
export async function createTestDatabaseOn(serverUrl: string): Promise<TestDatabase> {
  const database = await createEmptyTestDatabase(serverUrl);
  await migrate(database.url);
  return database;
}

export async function createEmptyTestDatabase(serverUrl = inject('databaseUrl')): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(serverUrl, name);
  return { url, drop: () => dropDatabase(serverUrl, name) };
}
