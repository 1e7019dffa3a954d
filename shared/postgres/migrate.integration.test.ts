import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmptyTestDatabase, type TestDatabase } from '../../test/support/postgres-database.ts';
import { migrate, openForMigrations } from './migrate.ts';

const names = (await readdir(new URL('../../migrations/', import.meta.url)))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort();

describe('muster migrate', () => {
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

  it('is not held up by the lock that a killed migration left behind', async () => {
    const migrations = openForMigrations(database.url);
    await migrations.migrate.list();
    await migrations('knex_migrations_lock').update({ is_locked: 1 });
    await migrations.destroy();
    expect(await migrate(database.url)).toEqual(names);
  });
});
