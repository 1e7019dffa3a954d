import type { Pool } from 'pg';
import type { JobHistory } from '../ports/job-history.ts';

/** Dead jobs in one statement. */
const perStatement = 5000;

export function createJobHistory({ pool }: { pool: Pool }): JobHistory {
  async function count(text: string, values: readonly unknown[] = []): Promise<number> {
    const { rows } = await pool.query<{ count: number }>(text, [...values]);
    return rows[0]?.count ?? 0;
  }

  async function expireDead(days: number): Promise<number> {
    for (let expired = 0; ;) {
      const last = await count(deleteDead, [days, perStatement]);
      expired += last;
      if (last < perStatement) return expired;
    }
  }

  return {
    keep: async ({ historyDays, deadDays }) => {
      const daysMade = await count(makeDays);
      const daysDropped = historyDays === 0 ? 0 : await count(dropDays, [historyDays]);
      const deadExpired = await expireDead(deadDays);
      await pool.query(deleteOrphans);
      return { daysMade, daysDropped, deadExpired };
    },
  };
}

/**
 * Three days ahead, so that a weekend without a scheduler writes nothing into the partition that takes what fits
 * nowhere.
 */
const makeDays = `select make_job_days(now(), now() + interval '3 days') as count`;

const dropDays = `select drop_job_days(now() - $1 * interval '1 day') as count`;

/** They stay counted as dead. For so long as their client says, or else for $1 days; 0: for ever. */
const deleteDead = `
  with kept as (
    select d.client, coalesce((c.definition ->> 'deadJobsDays')::float8, nullif($1::float8, 0)) as days
    from (select distinct client from dead_jobs) d left join clients c on c.id = d.client
  ), x as (
    delete from dead_jobs where id in (
      select o.id from kept k cross join lateral (
        select id from dead_jobs where client = k.client and died_at < now() - k.days * interval '1 day'
        order by died_at limit $2
      ) o limit $2
    ) returning 1
  )
  select count(*)::int as count from x`;

/** Fires whose job was taken away after their lease had run out: no dispatcher ends them. */
const deleteOrphans = `
  delete from fires f where lease_until < now() - interval '1 hour'
    and not exists (select from jobs j where j.partition_id = f.partition_id and j.due_at = f.due_at and j.id = f.id)`;
