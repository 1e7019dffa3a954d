import type { Pool } from 'pg';
import { sweptStates } from '../domain/admission.ts';
import { firstChildBatchNo } from '../domain/batch.ts';
import type { LostRef, OutboxSweep } from '../ports/feed-store.ts';
import { restCode, stepState } from './ledger-codes.ts';
import { lostBefore } from './step-writes.ts';

interface SweptRow {
  feed: string;
  batchNo: number;
  step: number;
  epoch: number;
  n: number;
}

const overdue = `
  select s.feed, s.batch_no as "batchNo", s.step, s.epoch, b.n
  from runs r
  join feeds f on f.run = r.id
  join batch_steps s on s.feed = f.feed
  join batches b on b.feed = s.feed and b.batch_no = s.batch_no
  where r.id = $1 and r.state = any($2::text[])
    and (s.state = ${stepState.running} and s.lease_until < now() or s.state = ${stepState.waiting} and s.next_attempt_at <= now())
  order by s.feed, s.batch_no, s.step
  limit $3`;

/** Both halves are anti-joins on the ledger's primary key; there is no index on state to help, or to slow every recording down. */
const unclaimed = `
  with swept as (
    select f.feed, jsonb_array_length(c.definition -> 'chain') as steps
    from runs r
    join feeds f on f.run = r.id
    join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
    where r.id = $1 and r.state = any($2::text[])
  ), fed as (
    select b.feed, b.batch_no, 1 as step
    from swept join batches b on b.feed = swept.feed and b.batch_no < ${firstChildBatchNo}
    where not exists (select from batch_steps s where s.feed = b.feed and s.batch_no = b.batch_no and s.step = 1)
    limit $3
  ), survived as (
    select d.feed, d.batch_no, d.step + 1 as step
    from swept join batch_steps d on d.feed = swept.feed and d.step < swept.steps
    where d.state = ${stepState.done} and d.rest = ${restCode.succeeded} and d.rest_users > 0
      and not exists (select from batch_steps s where s.feed = d.feed and s.batch_no = d.batch_no and s.step = d.step + 1)
    limit $3
  )
  select k.feed, k.batch_no as "batchNo", k.step, 0 as epoch, b.n
  from (select * from fed union all select * from survived) k
  join batches b on b.feed = k.feed and b.batch_no = k.batch_no
  order by k.feed, k.step, k.batch_no
  limit $3`;

export function createOutboxSweep({ pool }: { pool: Pool }): OutboxSweep {
  async function sweep(name: string, text: string, run: string, limit: number): Promise<LostRef[]> {
    const { rows } = await pool.query<SweptRow>({ name, text, values: [run, sweptStates, limit] });
    if (rows.length === 0) return [];
    // Whoever is lost before a step was lost in steps that are done: those rows never change, so a second look is no risk.
    const lost = await lostBefore(pool, rows);
    return rows.map(({ n, ...ref }, index) => {
      const lostUsers = lost[index] ?? [];
      return { ...ref, lost: lostUsers, remaining: n - lostUsers.length };
    });
  }

  return {
    overdue: (run, limit) => sweep('sweep-overdue', overdue, run, limit),
    unclaimed: (run, limit) => sweep('sweep-unclaimed', unclaimed, run, limit),
  };
}
