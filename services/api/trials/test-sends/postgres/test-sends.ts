import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Quotas } from '../../../../../shared/domain/quotas.ts';
import type { ClearedBy } from '../../../../../shared/domain/approval/clearance.ts';
import type { StepMode } from '../../../../../shared/domain/run/run-kinds.ts';
import { unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { withinQuota } from '../../../../../shared/postgres/registry/account-quotas.ts';
import type { Asker } from '../../../../../shared/domain/run/asker.ts';
import type { TestFigures } from '../../../../../shared/contracts/runs/test-sends.ts';
import { countStart } from '../../../../../shared/postgres/approvals/unapproved-starts.ts';
import { judgeTest, previewTest, type JudgedTest, type WantedTest } from './judge-test.ts';
import { timeBeside } from '../../../runs/postgres/time-beside.ts';

/** Maximum duration of a test: later calls would no longer be informative. */
const longestSeconds = 3600;

export interface NewTestSend {
  /** Id of the run to create; an existing run is not created again. */
  runId: string;
  campaignId: string;
  revision: number;
  country: string;
  users: readonly string[];
  modes: readonly StepMode[];
  batchUsers: number;
  /** The person or key that requested the test, for the history of the run. */
  asker: Asker;
}

/** `changed`: the campaign is at another revision, is archived, or its policy or approval changed this moment. */
export type BegunTest = { kind: 'begun' } | { kind: 'changed' } | Exclude<JudgedTest, { kind: 'clear' }>;

export type TestSends = ReturnType<typeof createTestSends>;

/**
 * Store of test sends: runs of a few users that do not affect their campaign's runs
 * (docs/decisions/0083-test-sends-canaries-and-dry-runs.md).
 */
export function createTestSends({ pool, quotas }: { pool: Pool; quotas: Quotas }) {
  return {
    judge: (test: WantedTest): Promise<JudgedTest> => previewTest(pool, test),

    /** Starts a run of these users and inserts its feed, so that no trigger has to prepare it. */
    begin: async (test: NewTestSend, wanted: WantedTest): Promise<BegunTest> => {
      const { rows } = await pool.query<{ account: string | null }>(selectAccount, [test.campaignId]);
      const asked = { account: rows[0]?.account ?? null, quotas, of: ['openRuns'] as const };
      return await withinQuota(pool, asked, async (client): Promise<BegunTest> => {
        // The lock makes concurrent tests sequential, so that the second one sees the users that the first one reached.
        await client.query(lockCampaign, [test.campaignId]);
        const isThere = async () => (await client.query(selectRun, [test.runId])).rowCount === 1;
        if (await isThere()) return { kind: 'begun' };
        const judged = await judgeTest(client, wanted);
        if (judged.kind !== 'clear') return judged;
        const { clearedBy, counts } = judged;
        const { policy = null, approvalId = null } = clearedBy ?? {};
        const by = { isJudged: clearedBy !== null, policy, approvalId };
        await client.query(insertTest.with({ ...test, ...by, feedId: uuidv7(), longestSeconds }));
        if (!(await isThere())) return { kind: 'changed' };
        if (counts) await countStart(client, { runId: test.runId, campaignId: test.campaignId, ...counts });
        return { kind: 'begun' };
      });
    },

    figures: async (campaignId: string): Promise<TestFigures> => {
      const { rows } = await pool.query<{ figures: TestFigures }>(selectFigures, [campaignId]);
      return rows[0]?.figures ?? { runs: 0, liveRuns: 0, users: 0, steps: [] };
    },
  };
}

/** Figures of all tests of the campaign. A user of several live tests counts in each of them. */
const selectFigures = `
  with tests as (
    select r.id, r.step_modes, 'live' = any(r.step_modes) as is_live from runs r
    where r.campaign = $1 and r.kind = 'test'
  ), reached as (
    select n.step, sum(n.succeeded) as succeeded, sum(n.failed) as failed, sum(n.unknown) as unknown
    from tests t join feeds f on f.run = t.id join run_totals n on n.feed = f.feed
    where t.step_modes[n.step] = 'live' group by n.step
  )
  select jsonb_build_object(
    'runs', count(*), 'liveRuns', count(*) filter (where is_live),
    'users', coalesce((select sum(f.fed_users) from tests t join feeds f on f.run = t.id where t.is_live), 0),
    'steps', coalesce((
      select jsonb_agg(jsonb_build_object('step', step, 'succeeded', succeeded, 'failed', failed, 'unknown', unknown)
        order by step) from reached), '[]')) as figures
  from tests`;

const selectAccount = `select account from campaigns where id = $1`;

const lockCampaign = `select from campaigns where id = $1 for no key update`;

const selectRun = `select from runs where id = $1`;

interface TestParams extends NewTestSend, ClearedBy {
  isJudged: boolean;
  feedId: string;
  longestSeconds: number;
}

/** Only people pause a test. A step that is not live does not use the campaign's budget. */
const insertTest = unnamedStatementOf<TestParams>(
  ($) => `
  with r as (
    insert into runs (id, campaign, revision, scheduled_for, kind, step_modes, state, deadline_at, started_at, settings)
    select ${$('runId')}::uuid, c.id, c.revision, ${timeBeside('test')}, 'test', ${$('modes')}::text[], 'running',
      now() + least(${$('longestSeconds')}::float8, (v.definition ->> 'deadlineSeconds')::float8) * interval '1 second',
      now(), '{"paceUsersPerSecond": null, "pauseAtFailedPercent": null}'
    from campaigns c join campaign_revisions v on v.campaign = c.id and v.revision = c.revision
    where c.id = ${$('campaignId')} and c.revision = ${$('revision')}::int and c.archived_at is null
      and (not ${$('isJudged')}::boolean or is_cleared(c.id, c.revision, ${$('policy')}::int, ${$('approvalId')}::uuid))
    on conflict (id) do nothing
    returning id, campaign, revision, prices
  ), e as (
    insert into run_events (run, kind, detail)
    select r.id, k.kind, k.detail from r, (values ('created', jsonb_build_object('by', ${$('asker')}::jsonb)),
      ('begun', '{"feeds": 1}')) k (kind, detail)
  ), f as (
    insert into feeds (feed, run, country, segment, snapshot, estimate, batch_users, step_units)
    select ${$('feedId')}::uuid, r.id, ${$('country')}, '', '', cardinality(${$('users')}::text[]),
      ${$('batchUsers')}::int, (
        select array_agg(case when s.mode = 'live' then s.units else 0 end order by s.place)
        from unnest(step_units(r.campaign, r.revision, ${$('country')}, r.prices), ${$('modes')}::text[])
          with ordinality s (units, mode, place)
        having bool_or(s.mode = 'live' and s.units > 0)
      )
    from r
    returning feed
  )
  insert into retry_users (feed, user_id) select f.feed, k.user_id from f, unnest(${$('users')}::text[]) k (user_id)`,
);
