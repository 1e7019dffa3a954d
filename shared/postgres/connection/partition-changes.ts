import pg, { type Pool } from 'pg';
import { inTransaction } from './transaction.ts';

/**
 * Maximum wait for the lock of a partition that is created or dropped; it excludes the readers and writers of its
 * table. A dump may hold the table for an hour, and each statement on it then queues behind the lock that waits for the
 * dump. Therefore only this file takes such locks in a service (`test/lint/strong-locks.test.ts`): one partition in
 * each transaction, and a round ends at the first unavailable lock. The caller tries again in minutes.
 */
const lockTimeoutMs = 50;

export interface PartitionChanges<Change> {
  made: Change[];
  /** Number of rounds that a reader ended: 0 or 1. */
  heldUp: number;
}

export interface NewPartition {
  table: string;
  /** Number of weeks or days after the present one. */
  ahead: number;
}

/** Creates missing partitions for feeds of this week and of the `ahead` weeks after it. */
export async function makeWeeks(pool: Pool, ahead: number): Promise<PartitionChanges<NewPartition>> {
  const { rows } = await pool.query<NewPartition>(missingWeeks, [ahead]);
  return await oneByOne(pool, rows, makeWeek, ({ table, ahead: after }) => [table, after]);
}

/** Creates missing partitions for jobs that end today or on the `ahead` days after it. */
export async function makeDays(pool: Pool, ahead: number): Promise<PartitionChanges<NewPartition>> {
  const { rows } = await pool.query<NewPartition>(missingDays, [ahead]);
  return await oneByOne(pool, rows, makeDay, ({ table, ahead: after }) => [table, after]);
}

export async function dropWeeks<Partition extends { name: string }>(
  pool: Pool,
  partitions: readonly Partition[],
): Promise<PartitionChanges<Partition>> {
  return await oneByOne(pool, partitions, dropWeek, ({ name }) => [name]);
}

export async function dropDays<Partition extends { name: string }>(
  pool: Pool,
  partitions: readonly Partition[],
): Promise<PartitionChanges<Partition>> {
  return await oneByOne(pool, partitions, dropDay, ({ name }) => [name]);
}

/** Drops a table if it exists. Returns false, and changes nothing, if readers still hold it. */
export async function dropTable(pool: Pool, name: string): Promise<boolean> {
  try {
    await inTransaction(pool, async (client) => {
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      await client.query(`drop table if exists ${name}`);
    });
    return true;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return false;
  }
}

/** @param text statement that returns one row, with `done` false if there was nothing to change */
async function oneByOne<Change>(
  pool: Pool,
  wanted: readonly Change[],
  text: string,
  valuesOf: (change: Change) => unknown[],
): Promise<PartitionChanges<Change>> {
  const made: Change[] = [];
  for (const change of wanted) {
    try {
      const isDone = await inTransaction(pool, async (client) => {
        await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
        const { rows } = await client.query<{ done: boolean }>(text, valuesOf(change));
        return rows[0]?.done === true;
      });
      if (isDone) made.push(change);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      // A transaction that locks one partition usually locks the next one too. The other changes are not tried, because
      // each waiting change would delay writers again.
      return { made, heldUp: 1 };
    }
  }
  return { made, heldUp: 0 };
}

/** Returns true for SQLSTATE `lock_not_available`. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

const missingWeeks = `
  select t.name as table, w.ahead
  from generate_series(0, $1::int) w (ahead) cross join feed_tables t
  where to_regclass(t.name || to_char(date_trunc('week', now() + w.ahead * interval '7 days', 'UTC')
    at time zone 'UTC', '_YYYYMMDD')) is null
  order by w.ahead, t.name`;

const missingDays = `
  select t.name as table, d.ahead
  from generate_series(0, $1::int) d (ahead) cross join unnest(array['ended_jobs', 'job_attempts']) t (name)
  where to_regclass(t.name || to_char((now() + d.ahead * interval '1 day') at time zone 'UTC', '_YYYYMMDD')) is null
  order by d.ahead, t.name`;

/** The interval is one microsecond, because the functions create partitions that begin before their second argument. */
const makeWeek = `
  select make_feed_partitions(w.at, w.at + interval '1 microsecond', $1::name) > 0 as done
  from (select date_trunc('week', now() + $2::int * interval '7 days', 'UTC') as at) w`;

const makeDay = `
  select make_job_days(d.at, d.at + interval '1 microsecond', $1::name) > 0 as done
  from (select date_trunc('day', now() + $2::int * interval '1 day', 'UTC') as at) d`;

const dropWeek = `select drop_feed_week($1::name) as done`;

const dropDay = `select drop_job_day($1::name) as done`;
