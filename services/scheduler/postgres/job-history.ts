import type { Pool } from 'pg';
import { dropDays, makeDays } from '../../../shared/postgres/connection/partition-changes.ts';
import type { JobHistory } from '../ports/job-history.ts';

/** Days created ahead: enough for a week without a scheduler or with a long reader. */
const daysAhead = 7;
const perStatement = 5000;

export function createJobHistory({ pool }: { pool: Pool }): JobHistory {
  /** @returns how many rows were deleted, in as many statements as it takes */
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

/** Lists partitions of days that ended before; $1 days. */
const oldDays = `
  select c.relname as name
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent in ('ended_jobs'::regclass, 'job_attempts'::regclass) and c.relname ~ '_[0-9]{8}$'
    and to_timestamp(right(c.relname, 8) || ' UTC', 'YYYYMMDD TZ') + interval '1 day' <= now() - $1 * interval '1 day'
  order by right(c.relname, 8), c.relname`;

/** Deletes rows in the default partition, written when the day had no table; $1 days, $2 limit. */
const deleteEndedStrays = `
  delete from ended_jobs_other where ctid = any(array(
    select ctid from ended_jobs_other where ended_at < now() - $1 * interval '1 day' limit $2))`;
const deleteAttemptStrays = `
  delete from job_attempts_other where ctid = any(array(
    select ctid from job_attempts_other where at < now() - $1 * interval '1 day' limit $2))`;

/** Deletes finished bulk changes of jobs; $1 days, $2 limit. */
const deleteJobChanges = `
  delete from job_changes where id = any(array(
    select id from job_changes where state = 'done' and ended_at < now() - $1 * interval '1 day' limit $2))`;

/** Deletes old dead jobs, but not from the totals. By the client's days, else $1 days; 0 means for ever. $2 limit. */
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

/** Deletes fires whose job was deleted after their lease had expired: no dispatcher ends them. */
const deleteOrphans = `
  delete from fires f where lease_until < now() - interval '1 hour'
    and not exists (select from jobs j where j.partition_id = f.partition_id and j.due_at = f.due_at and j.id = f.id)`;
