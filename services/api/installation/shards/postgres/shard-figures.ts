import type { Pool } from 'pg';
import type { Shard } from '../../../../../shared/domain/endpoint/shard.ts';
import type { ShardReport } from '../../../../../shared/ports/shard-reports.ts';
import { reportValidity } from '../../../../../shared/postgres/registry/shard-refusals.ts';

/** Recent report of a worker about a shard that it serves or should serve. */
export interface WorkerReport extends ShardReport {
  worker: string;
}

/** Number of batches that unfinished runs have in a shard. */
export interface ShardWork extends Shard {
  /** Batches on the topic or in a worker. */
  ready: number;
  /** Batches scheduled for a later time, such as a retry. */
  waiting: number;
  /**
   * Batches of runs without a pace that this shard still has to process: the ready batches of this and earlier steps,
   * and an estimate of the batches that will be created.
   */
  ahead: number;
  /** Batches that runs with a pace will still create. Their pace delays them, not the shard. */
  paced: number;
}

const reports = `
  select worker, action_type as "actionType", country, in_flight as "inFlight", call_limit as "callLimit", waiting,
    breaker_open as "breakerOpen", batches_per_second::float8 as "batchesPerSecond", refusal
  from shard_reports where reported_at > now() - ${reportValidity}
  order by worker`;

/**
 * Selects the work of each shard. For each step, ready = entered + created - done - waiting, which is also how the
 * trigger service counts (docs/feeding.md). A batch enters a step when it has completed the previous step; `created` is
 * the number of child batches created in the step.
 */
const work = `
  with steps as (
    select f.feed, f.country, s.step, s.entry ->> 'action' as action, f.next_batch_no - 1 as fed,
      case when f.complete then 0 else greatest(0,
        ceil((f.estimate - f.fed_users)::float8 / f.batch_users)) end as unfed,
      coalesce(jsonb_typeof((c.definition || r.settings) -> 'paceUsersPerSecond') = 'number', false) as is_paced,
      coalesce(t.done, 0) as done, coalesce(t.survived, 0) as survived, coalesce(t.created, 0) as created,
      greatest(0, coalesce(t.waiting, 0)) as waiting
    from runs r
    join feeds f on f.run = r.id
    join revisions c on c.campaign = r.campaign and c.revision = r.revision
    cross join lateral jsonb_array_elements(c.definition -> 'chain') with ordinality s (entry, step)
    left join lateral (
      select sum(done) as done, sum(survived) as survived, sum(created) as created, sum(waiting) as waiting
      from run_totals where feed = f.feed and step = s.step
    ) t on true
    where r.state = 'running' and r.ended_at is null and not f.dry
  ), entered as (
    select *, case when step = 1 then fed else lag(survived) over (partition by feed order by step) end as entered
      from steps
  ), ready as (
    select *, greatest(0, entered + created - done - waiting) as ready from entered
  ), ahead as (
    select *, case when is_paced then 0 else coalesce(unfed, 0) end
        + sum(ready) over (partition by feed order by step) as ahead,
      case when is_paced then coalesce(unfed, 0) else 0 end as paced
    from ready
  )
  select action as "actionType", country, sum(ready)::float8 as ready, sum(waiting)::float8 as waiting,
    sum(ahead)::float8 as ahead, sum(paced)::float8 as paced
  from ahead group by action, country having sum(ready + waiting + ahead + paced) > 0`;

export type ShardFigures = ReturnType<typeof createShardFigures>;

export function createShardFigures({ pool }: { pool: Pool }) {
  return {
    /** Returns the workers' reports of the last minute. */
    reports: async () => (await pool.query<WorkerReport>(reports)).rows,
    work: async () => (await pool.query<ShardWork>(work)).rows,
  };
}
