import type { Pool } from 'pg';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { settledAsSucceeded } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import type { FailedCount, ReceiptCounts } from '../../ports/retention-store.ts';

const failuresPerRead = 20_000;

/** Lists closed runs. $1: limit. The time is returned as text, because a JavaScript `Date` has no microseconds. */
const closedRuns = `
  select r.id as "runId", r.receipts_since::text as since, (
      select coalesce(json_agg(f.feed), '[]') from feeds f
      where f.run = r.id and exists (select from receipt_totals t where t.feed = f.feed)
    ) as feeds
  from runs r
  where r.receipts_state = 'closed' and r.receipts_since <= now() - interval '5 minutes'
  order by r.ended_at limit $1`;

interface SliceParams {
  feed: string;
  /** Key of the last failure in the previous slice. */
  batchNo: number;
  step: number;
  user: string;
  limit: number;
}

/**
 * Counts the receipts for a slice of failures. Returns one row, or no row if there are no further failures. Receipts
 * are looked up by key.
 */
const countSlice = statementOf<SliceParams>(
  'count-unexpected-receipts',
  ($) => `
  with u as materialized (
    select batch_no, step, user_id, outcome from user_failures
    where feed = ${$('feed')} and (batch_no, step, user_id) > (${$('batchNo')}::int, ${$('step')}::int2, ${$('user')})
    order by batch_no, step, user_id limit ${$('limit')}::int
  ), c as (
    select u.step, count(*) filter (where r.delivered) as delivered,
      count(*) filter (where not r.delivered) as undelivered
    from u cross join lateral (
      select delivered from receipts where feed = ${$('feed')} and step = u.step and user_id = u.user_id limit 1
    ) r
    where u.outcome <> ${settledAsSucceeded}
    group by u.step
  )
  select batch_no as "batchNo", step, user_id as "user", (select coalesce(json_agg(c), '[]') from c) as lines
  from u order by batch_no desc, step desc, user_id desc limit 1`,
);

interface KeepParams {
  runId: string;
  /** Time at which the run was closed, as stored when the count began. */
  since: string;
  feeds: string;
  steps: string;
  delivered: string;
  undelivered: string;
}

/**
 * Stores the counts. A step without a count gets 0, because an earlier count may have stored more. If a settlement has
 * changed `receipts_since` during the count, nothing is stored.
 */
const keepCounts = statementOf<KeepParams>(
  'keep-receipt-counts',
  ($) => `
  with k as (
    select * from unnest(${$('feeds')}::uuid[], ${$('steps')}::int2[], ${$('delivered')}::bigint[],
      ${$('undelivered')}::bigint[]) k (feed, step, delivered, undelivered)
  ), r as (
    update runs set receipts_state = 'counted', receipts_since = now()
    where id = ${$('runId')} and receipts_state = 'closed' and receipts_since = ${$('since')}::timestamptz
    returning id
  )
  update receipt_totals t set unexpected_delivered = n.delivered, unexpected_undelivered = n.undelivered
  from (
    select s.feed, s.step, min(s.slot) as slot, coalesce(max(k.delivered), 0) as delivered,
      coalesce(max(k.undelivered), 0) as undelivered
    from r join feeds f on f.run = r.id join receipt_totals s on s.feed = f.feed
    left join k on k.feed = s.feed and k.step = s.step
    group by s.feed, s.step
  ) n
  where t.feed = n.feed and t.step = n.step and t.slot = n.slot`,
);

/** Delays the next count of run $1 by five minutes, so that a run whose count fails does not delay others. */
const delayCount = `update runs set receipts_since = now() where id = $1 and receipts_state = 'closed'`;

interface StepCount {
  step: number;
  delivered: number;
  undelivered: number;
}

interface SliceRow {
  batchNo: number;
  step: number;
  user: string;
  lines: StepCount[];
}

interface ClosedRun {
  runId: string;
  since: string;
  feeds: string[];
}

/** Counts the receipts of failed users in closed runs. If the count of a run was interrupted, it begins anew. */
export async function countReceipts(pool: Pool, limit: number): Promise<ReceiptCounts> {
  const { rows } = await pool.query<ClosedRun>(closedRuns, [limit]);
  const failed: FailedCount[] = [];
  for (const run of rows) {
    try {
      await countRun(pool, run);
    } catch (err) {
      await pool.query(delayCount, [run.runId]);
      failed.push({ runId: run.runId, err });
    }
  }
  return { runs: rows.length, failed };
}

async function countRun(pool: Pool, { runId, since, feeds }: ClosedRun): Promise<void> {
  const lines: (StepCount & { feed: string })[] = [];
  for (const feed of feeds) for (const line of await countFeed(pool, feed)) lines.push({ feed, ...line });
  await pool.query(
    keepCounts.with({
      runId,
      since,
      feeds: plainArray(lines.map(({ feed }) => feed)),
      steps: plainArray(lines.map(({ step }) => step)),
      delivered: plainArray(lines.map(({ delivered }) => delivered)),
      undelivered: plainArray(lines.map(({ undelivered }) => undelivered)),
    }),
  );
}

async function countFeed(pool: Pool, feed: string): Promise<StepCount[]> {
  const counts = new Map<number, StepCount>();
  let place = { batchNo: -1, step: 0, user: '' };
  for (;;) {
    const { rows } = await pool.query<SliceRow>(countSlice.with({ feed, ...place, limit: failuresPerRead }));
    const [row] = rows;
    if (!row) return [...counts.values()];
    for (const { step, delivered, undelivered } of row.lines) {
      const before = counts.get(step) ?? { step, delivered: 0, undelivered: 0 };
      counts.set(step, {
        step,
        delivered: before.delivered + delivered,
        undelivered: before.undelivered + undelivered,
      });
    }
    place = { batchNo: row.batchNo, step: row.step, user: row.user };
  }
}
