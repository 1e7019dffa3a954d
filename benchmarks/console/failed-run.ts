import type { Pool } from 'pg';
import { campaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { batchUsers, nameIn, userOf, writeEndedRun, writeFeed } from '../written-run.ts';

/** An ended run, in which one user of ten failed in the first step. Its rows have the form that the engine leaves. */
export interface FailedRun {
  /** `run_…` */
  runId: string;
  /** Returns the id of a failed user. @param index number of the failed user, from 0 */
  failedUser(index: number): string;
  failures: number;
}

const failedPerBatch = 10;
const countries = ['SG', 'ID', 'VN', 'MY'] as const;
/** Reason of a failure in one of 200 batches: the reason that takes longest to search for. */
export const rareReason = 'wallet-closed';

export async function writeFailedRun(pool: Pool, failures: number): Promise<FailedRun> {
  const chain = [
    { action: 'award-reward', params: {} },
    { action: 'send-message', params: {} },
  ];
  const audience = { include: [{ segment: 'all' }] };
  const definition = campaignDefinition.parse({ name: 'Sold out', countries, audience, chain, deadlineSeconds: 3600 });
  const runId = await writeEndedRun(pool, definition);
  const batches = failures / failedPerBatch / countries.length;
  for (const [index, country] of countries.entries()) {
    const feed = { runId, country, first: index * batches, batches };
    const feedId = await writeFeed(pool, feed, [insertSteps, insertFailures]);
    await pool.query(insertTotals, [feedId, batches]);
    await pool.query(insertFailureTotals, [feedId]);
  }
  await pool.query('analyze');
  return {
    runId: publicId('run', runId),
    failures,
    failedUser: (index) => userOf(Math.floor(index / failedPerBatch) * batchUsers + (index % failedPerBatch)),
  };
}

const insertSteps = `
  insert into batch_steps (feed, batch_no, step, state, epoch, lease_until, rest, rest_users, failed, unknown)
  select $1, b, s, 3, 1, now(), 1, ${batchUsers - failedPerBatch}, case s when 1 then ${failedPerBatch} else 0 end, 0
  from generate_series($2::int, $3::int) b, generate_series(1, 2) s where $4::int >= 0`;

const insertFailures = `
  insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
  select $1, b, 1, ${nameIn('u')}, 2,
    case when b % 200 = 199 then '${rareReason}' when b % 20 = 0 then 'not-eligible'
      when b % 3 = 0 then 'limit-reached' else 'out-of-stock' end,
    'the endpoint said so', 1 + b % 3
  from generate_series($2::int, $3::int) b, generate_series(0, ${failedPerBatch - 1}) u`;

/** $1 feed, $2 batches. */
const insertTotals = `
  insert into run_totals (feed, step, slot, batches, succeeded, failed, done, survived)
  select $1, s, 0, $2::int, $2::int * ${batchUsers - failedPerBatch}, case s when 1 then $2::int * ${failedPerBatch}
    else 0 end, $2, $2
  from generate_series(1, 2) s`;

const insertFailureTotals = `
  insert into failure_totals (feed, step, outcome, reason, slot, users, sample)
  select feed, step, outcome, reason, 0, count(*), (array_agg(user_id order by batch_no, user_id))[1:5]
  from user_failures where feed = $1 group by feed, step, outcome, reason`;
