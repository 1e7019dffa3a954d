import type { Pool } from 'pg';
import type { Shard } from '../../../../shared/domain/endpoint/shard.ts';

/** Maximum number of the newest runs from which rates are taken. */
const mostRuns = 200;
const days = 30;

export interface EarlierRate extends Shard {
  usersPerSecond: number;
}

export interface EarlierRates {
  /** Returns the rate of each shard: the highest of the mean rates of earlier runs in this shard. */
  list(): Promise<EarlierRate[]>;
  /**
   * Returns the pace of the campaign of a dry run, because a dry run itself has another pace; null if the campaign has
   * none.
   */
  paceOf(runId: string): Promise<number | null>;
}

export function createEarlierRates({ pool }: { pool: Pool }): EarlierRates {
  return {
    list: async () => (await pool.query<EarlierRate>(selectRates)).rows,
    paceOf: async (runId) => (await pool.query<{ pace: number | null }>(selectPace, [runId])).rows[0]?.pace ?? null,
  };
}

/** Selects the maximum over recent runs, because a small or paused run has a lower rate than the possible one. */
const selectRates = `
  with lately as materialized (
    select id, campaign, revision, greatest(1, extract(epoch from ended_at - started_at))::float8 as seconds
    from (select * from runs order by id desc limit ${mostRuns}) r
    where kind = 'live' and started_at is not null and ended_at > now() - interval '${days} days'
  )
  select s.entry ->> 'action' as "actionType", f.country,
    max((t.succeeded + t.failed + t.unknown + t.suppressed) / l.seconds)::float8 as "usersPerSecond"
  from lately l
  join revisions c on c.campaign = l.campaign and c.revision = l.revision
  join feeds f on f.run = l.id
  cross join lateral jsonb_array_elements(c.definition -> 'chain') with ordinality s (entry, step)
  join run_totals t on t.feed = f.feed and t.step = s.step
  where t.succeeded + t.failed + t.unknown + t.suppressed > 0
  group by 1, 2`;

const selectPace = `
  select (c.definition ->> 'paceUsersPerSecond')::float8 as pace
  from runs r join revisions c on c.campaign = r.campaign and c.revision = r.revision where r.id = $1`;
