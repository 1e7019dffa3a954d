import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { campaignDefinition } from '../../shared/contracts/campaigns.ts';
import { publicId } from '../../shared/domain/ids.ts';

/** A run that has ended, in which one user of ten failed in the first step, as the engine leaves it. */
export interface FailedRun {
  /** `run_…` */
  runId: string;
  /** A user that failed, by its number from 0. */
  failedUser(index: number): string;
  failures: number;
}

const batchUsers = 100;
const failedPerBatch = 10;
const countries = ['SG', 'ID', 'VN', 'MY'] as const;
/** In one of 200 batches: the reason that is searched for longest. */
export const rareReason = 'wallet-closed';
const batchesPerStatement = 2000;

export async function writeFailedRun(pool: Pool, failures: number): Promise<FailedRun> {
  const [campaignId, runId] = [uuidv7(), uuidv7()];
  const chain = [
    { action: 'award-reward', params: {} },
    { action: 'send-message', params: {} },
  ];
  const audience = { include: [{ segment: 'all' }] };
  const definition = campaignDefinition.parse({ name: 'Sold out', countries, audience, chain, deadlineSeconds: 3600 });
  await pool.query(`insert into campaigns (id, name, state, revision) values ($1, 'Sold out', 'scheduled', 1)`, [
    campaignId,
  ]);
  await pool.query('insert into campaign_revisions (campaign, revision, definition) values ($1, 1, $2)', [
    campaignId,
    definition,
  ]);
  await pool.query(
    `insert into runs (id, campaign, revision, scheduled_for, state, deadline_at, started_at, ended_at)
     values ($1, $2, 1, now() - interval '1 hour', 'completed_with_failures', now(), now() - interval '1 hour', now())`,
    [runId, campaignId],
  );
  const batches = failures / failedPerBatch / countries.length;
  for (const [index, country] of countries.entries()) await writeFeed(pool, { runId, country, index, batches });
  await pool.query('analyze');
  return {
    runId: publicId('run', runId),
    failures,
    failedUser: (index) => userOf(Math.floor(index / failedPerBatch) * batchUsers + (index % failedPerBatch)),
  };
}

interface FeedTerms {
  runId: string;
  country: string;
  /** Of the country. */
  index: number;
  batches: number;
}

async function writeFeed(pool: Pool, { runId, country, index, batches }: FeedTerms): Promise<void> {
  const feedId = uuidv7();
  const first = index * batches;
  await pool.query(
    `insert into feeds (feed, run, country, segment, snapshot, cursor, next_batch_no, fed_users, complete)
     values ($1, $2, $3, 'all', 's1', $4, $5, $6, true)`,
    [
      feedId,
      runId,
      country,
      JSON.stringify(userOf((first + batches) * batchUsers - 1)),
      batches + 1,
      batches * batchUsers,
    ],
  );
  for (let from = 1; from <= batches; from += batchesPerStatement) {
    const values = [feedId, from, Math.min(batches, from + batchesPerStatement - 1), first];
    for (const text of [insertBatches, insertSteps, insertFailures]) await pool.query(text, values);
  }
  await pool.query(insertTotals, [feedId, batches]);
  await pool.query(insertFailureTotals, [feedId]);
}

function userOf(index: number): string {
  return `user-${String(index).padStart(9, '0')}`;
}

const nameIn = (place: string) => `'user-' || lpad(((($4::int + b - 1) * ${batchUsers}) + ${place})::text, 9, '0')`;

/** $1 feed, $2 and $3 first and last batch, $4 batches of the run before this feed. */
const insertBatches = `
  insert into batches (feed, batch_no, n, first_user, last_user, users)
  select $1, b, ${batchUsers}, ${nameIn('0')}, ${nameIn(String(batchUsers - 1))},
    (select string_agg('"' || ${nameIn('u')} || '"', ',' order by u) from generate_series(0, ${batchUsers - 1}) u)
  from generate_series($2::int, $3::int) b`;

const insertSteps = `
  insert into batch_steps (feed, batch_no, step, state, epoch, lease_until, rest, rest_users, failed, unknown)
  select $1, b, s, 3, 1, now(), 1, ${batchUsers - failedPerBatch}, case s when 1 then ${failedPerBatch} else 0 end, 0
  from generate_series($2::int, $3::int) b, generate_series(1, 2) s where $4::int >= 0`;

const insertFailures = `
  insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
  select $1, b, 1, ${nameIn('u')}, 2,
    case when b % 200 = 199 then '${rareReason}' when b % 20 = 0 then 'not-eligible' when b % 3 = 0 then 'limit-reached' else 'out-of-stock' end,
    'the endpoint said so', 1 + b % 3
  from generate_series($2::int, $3::int) b, generate_series(0, ${failedPerBatch - 1}) u`;

/** $1 feed, $2 batches. */
const insertTotals = `
  insert into run_totals (feed, step, slot, batches, succeeded, failed, done, survived)
  select $1, s, 0, $2::int, $2::int * ${batchUsers - failedPerBatch}, case s when 1 then $2::int * ${failedPerBatch} else 0 end, $2, $2
  from generate_series(1, 2) s`;

const insertFailureTotals = `
  insert into failure_totals (feed, step, outcome, reason, slot, users, sample)
  select feed, step, outcome, reason, 0, count(*), (array_agg(user_id order by batch_no, user_id))[1:5]
  from user_failures where feed = $1 group by feed, step, outcome, reason`;
