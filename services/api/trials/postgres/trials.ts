import type { Pool, PoolClient } from 'pg';
import { stringify as uuidStringify, v7 as uuidv7 } from 'uuid';
import type { Quotas } from '../../../../shared/domain/quotas.ts';
import type { ClearedBy } from '../../../../shared/domain/approval/clearance.ts';
import type { StepMode } from '../../../../shared/domain/run/run-kinds.ts';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { withinQuota } from '../../../../shared/postgres/registry/account-quotas.ts';
import type { Requester } from '../../../../shared/domain/run/requester.ts';
import type { TrialCounts } from '../../../../shared/contracts/runs/trials.ts';
import { countStart } from '../../../../shared/postgres/approvals/unapproved-starts.ts';
import { checkTestApproval, previewTest, type TestVerdict, type WantedTest } from './judge-test.ts';
import { trialTime } from '../../runs/postgres/trial-time.ts';

/** Maximum duration of a test: later calls would no longer be informative. */
const longestTestSeconds = 3600;
const longestDryRunSeconds = 6 * 3600;
/** Rate of a dry run that the segmentation service and the database can serve beside live runs. */
const dryUsersPerSecond = 20_000;

interface NewTrial {
  /** Id of the run to create; an existing run is not created again. */
  runId: string;
  campaignId: string;
  revision: number;
  /** The person or key that requested the trial, for the history of the run. */
  asker: Requester;
}

/** `changed`: the campaign is at another revision, is archived, or its policy or approval changed this moment. */
export type BegunTrial = { kind: 'begun' } | { kind: 'changed' } | Exclude<TestVerdict, { kind: 'clear' }>;

export type Trials = ReturnType<typeof createTrials>;

/**
 * Store of trials: runs that do not affect their campaign's runs
 * (docs/decisions/0083-test-sends-canaries-and-dry-runs.md).
 */
export function createTrials({ pool, quotas }: { pool: Pool; quotas: Quotas }) {
  /** Inserts the run of a trial, unless it exists. Concurrent trials of a campaign are begun one after the other. */
  async function begin(
    { runId, campaignId }: NewTrial,
    insert: (client: PoolClient) => Promise<BegunTrial>,
    runs = 1,
  ): Promise<BegunTrial> {
    const { rows } = await pool.query<{ account: string | null }>(selectAccount, [campaignId]);
    const quota = { account: rows[0]?.account ?? null, quotas, of: ['openRuns'] as const, more: runs };
    return await withinQuota(pool, quota, async (client): Promise<BegunTrial> => {
      // In the lock, a second test sees the users that the first one reached, and each dry run gets a different time.
      await client.query(lockCampaign, [campaignId]);
      const { rowCount } = await client.query(selectRun, [runId]);
      return rowCount === 1 ? { kind: 'begun' } : insert(client);
    });
  }

  return {
    checkTestApproval: (test: WantedTest): Promise<TestVerdict> => previewTest(pool, test),

    /**
     * Starts a run of these users for each variant, and inserts its feeds, one per country, so that no trigger has to
     * prepare it. The runs are separate, because endpoints recognise an effect by run, step and user.
     */
    beginTest: (trial: NewTrial, batchUsers: number, wanted: WantedTest): Promise<BegunTrial> => {
      const runs = testRuns(trial.runId, wanted.variants);
      const insert = async (client: PoolClient): Promise<BegunTrial> => {
        const judged = await checkTestApproval(client, wanted);
        if (judged.kind !== 'clear') return judged;
        const { clearedBy, counts } = judged;
        const { policy = null, approvalId = null } = clearedBy ?? {};
        const by = { isJudged: clearedBy !== null, policy, approvalId };
        for (const { runId, variant } of runs) {
          const feeds = Object.keys(wanted.users).map((country) => ({ country, feedId: uuidv7() }));
          const users = feeds.flatMap(({ country, feedId }) =>
            (wanted.users[country] ?? []).map((userId) => ({ feedId, userId })),
          );
          const test = { ...trial, runId, variant, modes: wanted.modes, batchUsers, ...columnsOf(feeds, users) };
          const { rowCount } = await client.query(
            insertTest.with({ ...test, ...by, longestSeconds: longestTestSeconds }),
          );
          if (rowCount !== users.length) return { kind: 'changed' };
          if (counts) await countStart(client, { runId, campaignId: trial.campaignId, ...counts });
        }
        return { kind: 'begun' };
      };
      return begin(trial, insert, runs.length);
    },

    /** Inserts a run of the whole audience, which a trigger then prepares. */
    beginDryRun: (trial: NewTrial): Promise<BegunTrial> =>
      begin(trial, async (client) => {
        const terms = { settings: dryRunSettings, longestSeconds: longestDryRunSeconds };
        const { rowCount } = await client.query(insertDryRun.with({ ...trial, ...terms }));
        return { kind: rowCount === 1 ? 'begun' : 'changed' };
      }),

    counts: async (campaignId: string): Promise<TrialCounts> => {
      const { rows } = await pool.query<{ counts: TrialCounts }>(selectCounts, [campaignId]);
      const [row] = rows;
      if (!row) throw new Error('an aggregate without groups returned no row');
      return row.counts;
    },
  };
}

/** Counts all trials of the campaign. A user of several live tests counts in each of them. */
const selectCounts = `
  with trials as (
    select r.id, r.kind, r.step_modes, coalesce('live' = any(r.step_modes), false) as is_live from runs r
    where r.campaign = $1 and r.kind in ('test', 'dry-run')
  ), reached as (
    select n.step, sum(n.succeeded) as succeeded, sum(n.failed) as failed, sum(n.unknown) as unknown
    from trials t join feeds f on f.run = t.id join run_totals n on n.feed = f.feed
    where t.step_modes[n.step] = 'live' group by n.step
  )
  select jsonb_build_object(
    'dryRuns', count(*) filter (where kind = 'dry-run'), 'tests', count(*) filter (where kind = 'test'),
    'liveTests', count(*) filter (where is_live),
    'users', coalesce((select sum(f.fed_users) from trials t join feeds f on f.run = t.id where t.is_live), 0),
    'steps', coalesce((
      select jsonb_agg(jsonb_build_object('step', step, 'succeeded', succeeded, 'failed', failed, 'unknown', unknown)
        order by step) from reached), '[]')) as counts
  from trials`;

/**
 * Returns the run of each variant. The ids follow the id of the first run, so that a repeated request finds the same
 * runs.
 */
export function testRuns(runId: string, variants: readonly string[]) {
  if (variants.length === 0) return [{ runId, name: null, variant: null }];
  const first = BigInt(`0x${runId.replaceAll('-', '')}`);
  return variants.map((name, index) => {
    const digits = (first + BigInt(index)).toString(16).padStart(32, '0');
    return { runId: uuidStringify(Buffer.from(digits, 'hex')), name, variant: index + 1 };
  });
}

const selectAccount = `select account from campaigns where id = $1`;

const lockCampaign = `select from campaigns where id = $1 for no key update`;

const selectRun = `select from runs where id = $1`;

interface TestParams extends NewTrial, ClearedBy, TestColumns {
  modes: readonly StepMode[];
  /** Place of the variant, from 1; null without variants. */
  variant: number | null;
  batchUsers: number;
  isJudged: boolean;
  longestSeconds: number;
}

/** Parallel arrays: countries with their feeds, and users with their feeds. */
interface TestColumns {
  countries: readonly string[];
  feedIds: readonly string[];
  users: readonly string[];
  feedsOfUsers: readonly string[];
}

function columnsOf(
  feeds: readonly { country: string; feedId: string }[],
  users: readonly { userId: string; feedId: string }[],
): TestColumns {
  return {
    countries: feeds.map(({ country }) => country),
    feedIds: feeds.map(({ feedId }) => feedId),
    users: users.map(({ userId }) => userId),
    feedsOfUsers: users.map(({ feedId }) => feedId),
  };
}

/**
 * Inserts the run of a test. It has neither a pace nor an automatic pause: only people pause a test. A step that is not
 * live does not use the campaign's budget.
 */
const insertTest = unnamedStatementOf<TestParams>(
  ($) => `
  with r as (
    insert into runs (id, campaign, revision, scheduled_for, kind, step_modes, state, deadline_at, started_at, settings)
    select ${$('runId')}::uuid, c.id, c.revision, ${trialTime('test')}, 'test', ${$('modes')}::text[], 'running',
      now() + least(${$('longestSeconds')}::float8, (v.definition ->> 'deadlineSeconds')::float8) * interval '1 second',
      now(), '{"paceUsersPerSecond": null, "pauseAtFailedPercent": null}'
    from campaigns c join revisions v on v.campaign = c.id and v.revision = c.revision
    where c.id = ${$('campaignId')} and c.revision = ${$('revision')}::int and c.archived_at is null
      and (not ${$('isJudged')}::boolean
        or is_start_allowed(c.id, c.revision, ${$('policy')}::int, ${$('approvalId')}::uuid))
    on conflict (id) do nothing
    returning id, campaign, revision, prices
  ), e as (
    insert into run_events (run, kind, detail)
    select r.id, k.kind, k.detail from r, (values ('created', jsonb_build_object('by', ${$('asker')}::jsonb)),
      ('begun', jsonb_build_object('feeds', cardinality(${$('countries')}::text[])))) k (kind, detail)
  ), f as (
    insert into feeds (feed, run, country, variant, segment, snapshot, estimate, batch_users, step_units)
    select k.feed, r.id, k.country, ${$('variant')}::int2, '', '', (
        select count(*) from unnest(${$('feedsOfUsers')}::uuid[]) u (feed) where u.feed = k.feed
      ), ${$('batchUsers')}::int, (
        select array_agg(case when s.mode = 'live' then s.units else 0 end order by s.place)
        from unnest(step_units(r.campaign, r.revision, k.country, r.prices), ${$('modes')}::text[])
          with ordinality s (units, mode, place)
        having bool_or(s.mode = 'live' and s.units > 0)
      )
    from r cross join unnest(${$('countries')}::text[], ${$('feedIds')}::uuid[]) k (country, feed)
    returning feed
  )
  insert into explicit_users (feed, user_id)
  select f.feed, k.user_id
  from f join unnest(${$('feedsOfUsers')}::uuid[], ${$('users')}::text[]) k (feed, user_id) using (feed)`,
);

/** Settings of a dry run. The campaign's pace and limits apply to the live run that is forecast, not to the dry run. */
const dryRunSettings = JSON.stringify({
  priority: 'low',
  paceUsersPerSecond: dryUsersPerSecond,
  pauseAtFailedPercent: null,
});

const insertDryRun = unnamedStatementOf<NewTrial & { settings: string; longestSeconds: number }>(
  ($) => `
  with r as (
    insert into runs (id, campaign, revision, scheduled_for, kind, state, deadline_at, settings)
    select ${$('runId')}::uuid, c.id, c.revision, ${trialTime('dry-run')}, 'dry-run', 'preparing',
      now() + ${$('longestSeconds')}::float8 * interval '1 second', ${$('settings')}::jsonb
    from campaigns c
    where c.id = ${$('campaignId')} and c.revision = ${$('revision')}::int and c.archived_at is null
    on conflict (id) do nothing
    returning id
  )
  insert into run_events (run, kind, detail)
  select id, 'created', jsonb_build_object('by', ${$('asker')}::jsonb) from r`,
);
