import { readdir } from 'node:fs/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmptyTestDatabase, type TestDatabase } from '../../test/support/postgres-database.ts';
import { migrate, openForMigrations } from './migrate.ts';

const names = (await readdir(new URL('../../migrations/', import.meta.url)))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort();

describe('migrate', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createEmptyTestDatabase();
  });
  afterEach(() => database.drop());

  it('applies every migration once and says which', async () => {
    expect(await migrate(database.url)).toEqual(names);
    expect(await migrate(database.url)).toEqual([]);
  });

  it('is safe when two processes run it at once: one applies, the other waits and finds nothing to do', async () => {
    const applied = await Promise.all([migrate(database.url), migrate(database.url)]);
    expect(applied.sort((a, b) => a.length - b.length)).toEqual([[], names]);
  });

  it('can be taken back whole and applied again', async () => {
    await migrate(database.url);
    const migrations = openForMigrations(database.url);
    await migrations.migrate.rollback(undefined, true);
    await migrations.destroy();
    expect(await tablesOf(database.url)).toEqual(['knex_migrations', 'knex_migrations_lock']);
    expect(await migrate(database.url)).toEqual(names);
  });

  it('is not held up by the lock that a killed migration left behind', async () => {
    await migrate(database.url);
    const migrations = openForMigrations(database.url);
    await migrations.migrate.rollback(undefined, true);
    await migrations('knex_migrations_lock').update({ is_locked: 1 });
    await migrations.destroy();
    expect(await migrate(database.url)).toEqual(names);
  });
});

async function tablesOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  await client.end();
  return rows.map((row) => row.name);
}
