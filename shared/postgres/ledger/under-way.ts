import type { Pool, PoolClient } from 'pg';
import { firstChildBatchNo } from '../../domain/step/batch.ts';
import type { StepInFlight, UnderWay } from '../../domain/run/under-way.ts';
import { plainArray } from '../connection/array-literals.ts';
import { stepState } from './ledger-codes.ts';
import { statementOf } from '../connection/statement.ts';

/**
 * Batches under way, by run. Below a feed's mark, every batch has passed the chain or is on the agenda: workers can
 * hold only batches above the mark and on the agenda. The limits of single look-ups keep the planner from joins that
 * would read whole weeks of other runs.
 */
export const stepsUnderWay = statementOf<{ runs: string }>(
  'steps-under-way',
  ($) => `
  with f as (
    select f.run, f.feed, f.country, f.next_batch_no - 1 as fed, jsonb_array_length(c.definition -> 'chain') as steps
    from runs r
    join revisions c on c.campaign = r.campaign and c.revision = r.revision
    join feeds f on f.run = r.id
    where r.id = any(${$('runs')}::uuid[])
  ), m as (
    select f.*, coalesce((select below from sweep_marks where feed = f.feed and step = f.steps), 1) as below from f
  ), held as (
    select m.run, m.country, s.step, b.n
    from m
    cross join lateral (
      select batch_no, step from batch_steps
      where feed = m.feed and batch_no >= m.below and batch_no < ${firstChildBatchNo} and state = ${stepState.running}
        and lease_until > now()
      union
      select s.batch_no, s.step from agenda a
      cross join lateral (
        select batch_no, step from batch_steps
        where feed = m.feed and batch_no = a.batch_no and state = ${stepState.running} and lease_until > now() limit 1
      ) s
      where a.feed = m.feed
    ) s
    cross join lateral (select n from batches where feed = m.feed and batch_no = s.batch_no limit 1) b
  ), flow as (
    select m.run, sum(m.fed + coalesce(t.ready, 0))::int as ready, sum(coalesce(t.waiting, 0))::int as waiting
    from m
    left join lateral (
      select
        coalesce(sum(survived) filter (where step < m.steps), 0) + sum(created) - sum(done) - sum(waiting) as ready,
        sum(waiting) as waiting
      from run_totals where feed = m.feed
    ) t on true
    group by m.run
  )
  select flow.run as "runId", flow.ready, flow.waiting, coalesce(h.held, '[]') as held
  from flow
  left join lateral (
    select json_agg(json_build_object('step', step, 'country', country, 'batches', batches, 'users', users)
      order by step, country) as held
    from (select step, country, count(*) as batches, sum(n) as users from held where held.run = flow.run
      group by step, country) k
  ) h on true`,
);

interface FlowRow {
  runId: string;
  /** Including claimed batches. */
  ready: number;
  waiting: number;
  held: StepInFlight[];
}

/** Returns the batches under way by run; skips runs without feeds. */
export async function readUnderWay(
  connection: Pool | PoolClient,
  runIds: readonly string[],
): Promise<Map<string, UnderWay>> {
  const { rows } = await connection.query<FlowRow>(stepsUnderWay.with({ runs: plainArray(runIds) }));
  return new Map(
    rows.map(({ runId, ready, waiting, held }) => {
      const claimed = held.reduce((sum, { batches }) => sum + batches, 0);
      // The rows and their sums are from one moment; a claim whose lease has expired is in neither.
      return [runId, { inFlight: held, ready: Math.max(0, ready - claimed), waiting: Math.max(0, waiting) }];
    }),
  );
}
