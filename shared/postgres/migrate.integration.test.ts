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

  it('keeps the rows of runs that were going on before the tables were partitioned', async () => {
    const migrations = openForMigrations(database.url);
    await migrations.migrate.up();
    await migrations.raw(rowsOfOld);
    await migrations.destroy();
    await migrate(database.url);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const rowsOf = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows;
    expect(
      await rowsOf(
        `select tableoid::regclass::text like 'batch_steps_2%' as dated, batch_no, state, attempts, open from batch_steps`,
      ),
    ).toEqual([
      { dated: true, batch_no: 1, state: 3, attempts: 1, open: false },
      { dated: true, batch_no: 2, state: 1, attempts: 1, open: true },
      { dated: true, batch_no: 3, state: 2, attempts: 2, open: true },
      { dated: true, batch_no: 1073741824, state: 2, attempts: 1, open: false },
    ]);
    expect(await rowsOf('select batch_no, users from batches order by 1 limit 1')).toEqual([
      { batch_no: 1, users: '"u1","u2"' },
    ]);
    expect(await rowsOf('select batch_no from agenda order by 1')).toEqual([
      { batch_no: 2 },
      { batch_no: 3 },
      { batch_no: 1073741824 },
    ]);
    expect(
      await rowsOf('select slot, batches, succeeded::int, done, survived, born, waiting from run_totals order by 1'),
    ).toEqual([
      { slot: -1, batches: 0, succeeded: 0, done: 1, survived: 1, born: 1, waiting: 2 },
      { slot: 4, batches: 1, succeeded: 1, done: 0, survived: 0, born: 0, waiting: 0 },
    ]);
    expect(await rowsOf('select reason, users::int, sample from failure_totals')).toEqual([
      { reason: 'fraud', users: 1, sample: ['u2'] },
    ]);
    await client.end();
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

/** Of one feed: a step that is done with a child, one running after a take-over, one put back twice. */
const rowsOfOld = `
  insert into batches (feed, batch_no, n, parent, first_user, last_user, users) values
    (uuidv7(), 1, 2, null, 'u1', 'u2', '"u1","u2"');
  insert into batches (feed, batch_no, n, parent, first_user, last_user, users)
  select feed, k.no, 1, k.parent, 'u3', 'u3', '"u3"' from batches, (values (2, null), (3, null), (1073741824, 1)) k (no, parent);
  insert into batch_steps (feed, batch_no, step, state, epoch, attempt, lease_until, next_attempt_at, rest, rest_users, failed, unknown)
  select b.feed, k.* from (select distinct feed from batches) b, (values
    (1, 1, 3, 1, 1, now(), null, 1, 1, 1, 0),
    (2, 1, 1, 2, 2, now(), null, null, null, null, null),
    (3, 1, 2, 2, 2, null, now(), null, null, null, null),
    (1073741824, 1, 2, 0, 1, null, now(), null, null, null, null)) k;
  insert into user_failures (feed, batch_no, step, user_id, outcome, reason, attempts)
  select distinct feed, 1, 1, 'u2', 2, 'fraud', 1 from batches;
  insert into run_totals (feed, step, slot, batches, succeeded, failed) select distinct feed, 1, 4, 1, 1, 1 from batches;
`;

async function tablesOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  await client.end();
  return rows.map((row) => row.name);
}
