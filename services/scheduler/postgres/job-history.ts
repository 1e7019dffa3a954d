import type { Pool } from 'pg';
import { dropDays, makeDays } from '../../../shared/postgres/connection/partition-changes.ts';
import type { JobHistory } from '../ports/job-history.ts';

/**
 * Number of days for which table partitions are created in advance. This suffices for a week without a scheduler, or
 * with a reader that blocks their creation.
 */
const daysAhead = 7;
const perStatement = 5000;

export function createJobHistory({ pool }: { pool: Pool }): JobHistory {
  /** Deletes all matching rows, in as many statements as necessary. @returns number of deleted rows */
  async function deleteAll(text: string, days: number): Promise<number> {
    for (let deleted = 0; ;) {
      const { rowCount } = await pool.query(text, [days, perStatement]);
      deleted += rowCount ?? 0;
      if ((rowCount ?? 0) < perStatement) return deleted;
    }
  }

  async function dropOldDays(days: number) {
    const { rows } = await pool.query<{ name: string }>(oldDays, [days]);
    const dropped = await dropDays(pool, rows);
    await deleteAll(deleteEndedStrays, days);
    await deleteAll(deleteAttemptStrays, days);
    await deleteAll(deleteJobChanges, days);
    return dropped;
  }

  return {
    keep: async ({ historyDays, deadDays }) => {
      const made = await makeDays(pool, daysAhead);
      const dropped = historyDays === 0 ? { made: [], heldUp: 0 } : await dropOldDays(historyDays);
      const deadExpired = await deleteAll(deleteDead, deadDays);
      await pool.query(deleteOrphans);
      return {
        daysMade: made.made.length,
        daysDropped: dropped.made.length,
        deadExpired,
        heldUp: made.heldUp + dropped.heldUp,
      };
    },
  };
}

/** Lists the partitions of days that ended more than $1 days ago. */
const oldDays = `
  select c.relname as name
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent in ('ended_jobs'::regclass, 'job_attempts'::regclass) and c.relname ~ '_[0-9]{8}$'
    and to_timestamp(right(c.relname, 8) || ' UTC', 'YYYYMMDD TZ') + interval '1 day' <= now() - $1 * interval '1 day'
  order by right(c.relname, 8), c.relname`;

/**
 * Deletes old rows from the default partition. It contains the rows that were written when there was no partition for
 * their day. $1: days, $2: limit.
 */
const deleteEndedStrays = `
  delete from ended_jobs_other where ctid = any(array(
    select ctid from ended_jobs_other where ended_at < now() - $1 * interval '1 day' limit $2))`;
const deleteAttemptStrays = `
  delete from job_attempts_other where ctid = any(array(
    select ctid from job_attempts_other where at < now() - $1 * interval '1 day' limit $2))`;

/** Deletes bulk changes of jobs that ended more than $1 days ago. $2: limit. */
const deleteJobChanges = `
  delete from job_changes where id = any(array(
    select id from job_changes where state = 'done' and ended_at < now() - $1 * interval '1 day' limit $2))`;

/**
 * Deletes old dead jobs. The totals of their clients still count them. The client's setting determines the number of
 * days; without one, $1 does (0: no limit). $2: limit.
 */
const deleteDead = `
  with kept as (
    select d.client, coalesce((c.definition ->> 'deadJobsDays')::float8, nullif($1::float8, 0)) as days
    from (select distinct client from dead_jobs) d left join clients c on c.id = d.client
  )
  delete from dead_jobs where id in (
    select o.id from kept k cross join lateral (
      select id from dead_jobs where client = k.client and died_at < now() - k.days * interval '1 day'
      order by died_at limit $2
    ) o limit $2
  )`;

/**
 * Deletes claims (rows of `job_claims`) whose lease has expired and whose job no longer exists, because no dispatcher
 * will end them.
 */
const deleteOrphans = `
  delete from job_claims f where lease_until < now() - interval '1 hour'
    and not exists (select from jobs j where j.partition_id = f.partition_id and j.due_at = f.due_at and j.id = f.id)`;
