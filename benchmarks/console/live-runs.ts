import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { campaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';

/**
 * Runs that have not ended. Their rows have the form that workers and triggers leave, as far as the console reads them.
 */
export interface LiveRuns {
  /** Public ids: `run_…`. */
  readonly runIds: readonly string[];
  /** Combinations in which batches end: runs × countries × steps. */
  readonly places: number;
  /**
   * Adds so many ended batches to each combination, and as many fed batches. One statement does both, so that the sums
   * match in every read.
   */
  advance(batches: number): Promise<void>;
}

export interface LiveRunTerms {
  runs: number;
  countries: number;
  steps: number;
}

const batchUsers = 100;
/** Batches that a trigger has fed ahead of the workers. */
const batchesFedAhead = 400;
/** Estimated audience, far larger than the benchmark can process: a run whose audience ends would end too. */
const estimatedUsers = 40_000_000;
/** Workers that update the totals, each in rows of its own. */
const slots = 4;
const reasons = ['out-of-stock', 'not-eligible', 'limit-reached', 'wallet-closed'] as const;
const actions = ['award-reward', 'send-message', 'push-notification', 'award-points', 'send-mail'] as const;
const countryCodes =
  'SG ID VN TH MY PH IN JP KR TW HK AU NZ KH MM LK BD NP PK AE SA EG TR DE FR ES IT PT NL PL SE NO DK FI IE GB US CA MX BR'.split(
    ' ',
  );

export async function writeLiveRuns(pool: Pool, { runs, countries, steps }: LiveRunTerms): Promise<LiveRuns> {
  const ids = Array.from({ length: runs }, () => uuidv7());
  const codes = countryCodes.slice(0, countries);
  const chain = actions.slice(0, steps).map((action) => ({ action, params: {} }));
  for (const [index, runId] of ids.entries())
    await writeRun(pool, runId, { name: `Riders ${index + 1}`, codes, chain });
  await pool.query('analyze');
  let turn = 0;
  return {
    runIds: ids.map((id) => publicId('run', id)),
    places: runs * countries * steps,
    advance: async (batches) => {
      turn += 1;
      const reason = reasons[turn % reasons.length];
      await pool.query({ name: 'advance', text: advanceTotals, values: [ids, batches, turn % slots, steps, reason] });
    },
  };
}

interface RunTerms {
  name: string;
  codes: readonly string[];
  chain: readonly object[];
}

async function writeRun(pool: Pool, runId: string, { name, codes, chain }: RunTerms): Promise<void> {
  const campaignId = uuidv7();
  const audience = { include: [{ segment: 'all' }] };
  const definition = campaignDefinition.parse({ name, countries: codes, audience, chain, deadlineSeconds: 86_400 });
  await pool.query(`insert into campaigns (id, name, state, revision) values ($1, $2, 'scheduled', 1)`, [
    campaignId,
    name,
  ]);
  await pool.query('insert into revisions (campaign, revision, definition) values ($1, 1, $2)', [
    campaignId,
    definition,
  ]);
  await pool.query(
    `insert into runs (id, campaign, revision, scheduled_for, state, deadline_at, started_at, in_flight)
     values ($1, $2, 1, now(), 'running', now() + interval '1 day', now(), 150)`,
    [runId, campaignId],
  );
  await pool.query(
    `insert into feeds (feed, run, country, segment, snapshot, estimate, next_batch_no, fed_users)
     select uuid_of_now(), $1, country, 'all', 's1', $3, $4 + 1, $4 * ${batchUsers} from unnest($2::text[]) country`,
    [runId, codes, estimatedUsers, batchesFedAhead],
  );
  const detail = { feeds: codes.length };
  await pool.query(`insert into run_events (run, kind, detail) values ($1, 'created', '{}'), ($1, 'begun', $2)`, [
    runId,
    detail,
  ]);
}

/**
 * $1 runs, $2 batches, $3 slot, $4 steps, $5 reason. One user of each batch fails in each step, so step s receives 101
 * − s users of a batch.
 */
const advanceTotals = `
  with moved as (
    update runs set in_flight = 100 + ($2 * 7 + $3) % 100 where id = any($1::uuid[])
  ), fed as (
    update feeds set fed_users = fed_users + $2::int * ${batchUsers}, next_batch_no = next_batch_no + $2::int
    where run = any($1::uuid[]) returning feed
  ), ended as (
    insert into run_totals as t (feed, step, slot, batches, succeeded, failed, done, survived)
    select feed, s, $3::int2, $2, $2::int * (${batchUsers} - s), $2, $2, $2 from fed, generate_series(1, $4::int) s
    on conflict (feed, step, slot) do update set batches = t.batches + excluded.batches,
      succeeded = t.succeeded + excluded.succeeded,
      failed = t.failed + excluded.failed, done = t.done + excluded.done, survived = t.survived + excluded.survived
  )
  insert into failure_totals as t (feed, step, outcome, reason, slot, users, sample)
  select feed, s, 2, $5::text, $3::int2, $2, array['user-000000001', 'user-000000002', 'user-000000003']
    from fed, generate_series(1, $4::int) s
  on conflict (feed, step, outcome, reason, slot) do update set users = t.users + excluded.users`;
