import type { Pool } from 'pg';
import { sweptStates } from '../../../shared/domain/admission.ts';
import { firstChildBatchNo } from '../../../shared/domain/batch.ts';
import type { LostRef, OutboxSweep } from '../ports/feed-store.ts';
import { restCode, stepState } from '../../../shared/postgres/ledger-codes.ts';
import { lostBefore } from '../../../shared/postgres/step-writes.ts';

interface SweptRow {
  feedId: string;
  batchNo: number;
  step: number;
  epoch: number;
  n: number;
}

/** Feed by feed: a subquery with a limit of its own keeps the planner inside of one feed, however many runs the tables hold. */
const overdue = `
  select k.feed as "feedId", k.batch_no as "batchNo", k.step, k.epoch, b.n
  from runs r
  join feeds f on f.run = r.id
  cross join lateral (
    select s.feed, s.batch_no, s.step, s.epoch from batch_steps s
    where s.feed = f.feed
      and (s.state = ${stepState.running} and s.lease_until < now() or s.state = ${stepState.waiting} and s.next_attempt_at <= now())
    order by s.batch_no, s.step
    limit $3
  ) k
  join batches b on b.feed = k.feed and b.batch_no = k.batch_no
  where r.id = $1 and r.state = any($2::text[])
  order by k.feed, k.batch_no, k.step
  limit $3`;

/**
 * What should have a row, except what has one. As a set operation it reads each feed's rows twice and no more; written as `not exists` it
 * was planned, on tables without statistics, as a nested loop that took ten seconds for 20,000 batches.
 */
const unclaimed = `
  select f.feed as "feedId", k.batch_no as "batchNo", k.step, 0 as epoch, b.n
  from runs r
  join feeds f on f.run = r.id
  join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
  cross join lateral (
    (
      select batch_no, 1 as step from batches where feed = f.feed and batch_no < ${firstChildBatchNo}
      union all
      select batch_no, step + 1 from batch_steps
      where feed = f.feed and state = ${stepState.done} and rest = ${restCode.succeeded} and rest_users > 0
        and step < jsonb_array_length(c.definition -> 'chain')
    )
    except select batch_no, step::int from batch_steps where feed = f.feed
    limit $3
  ) k
  join batches b on b.feed = f.feed and b.batch_no = k.batch_no
  where r.id = $1 and r.state = any($2::text[])
  order by f.feed, k.step, k.batch_no
  limit $3`;

export function createOutboxSweep({ pool }: { pool: Pool }): OutboxSweep {
  async function sweep(name: string, text: string, runId: string, limit: number): Promise<LostRef[]> {
    const { rows } = await pool.query<SweptRow>({ name, text, values: [runId, sweptStates, limit] });
    if (rows.length === 0) return [];
    // Whoever is lost before a step was lost in steps that are done: those rows never change, so a second look is no risk.
    const lost = await lostBefore(pool, rows);
    return rows.map(({ n, ...ref }, index) => {
      const lostUsers = lost[index] ?? [];
      return { ...ref, lost: lostUsers, remaining: n - lostUsers.length };
    });
  }

  return {
    overdue: (runId, limit) => sweep('sweep-overdue', overdue, runId, limit),
    unclaimed: (runId, limit) => sweep('sweep-unclaimed', unclaimed, runId, limit),
  };
}
