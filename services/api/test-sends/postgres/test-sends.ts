import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Quotas } from '../../../../shared/domain/quotas.ts';
import type { ClearedBy } from '../../../../shared/domain/approval/clearance.ts';
import type { StepMode } from '../../../../shared/domain/run/run-kinds.ts';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { withinQuota } from '../../../../shared/postgres/registry/account-quotas.ts';
import type { Asker } from '../../../../shared/domain/run/asker.ts';
import { timeBeside } from '../../runs/postgres/time-beside.ts';

/** Of a test: what has not been called by then tells nothing any more. */
const longestSeconds = 3600;

export interface NewTestSend {
  /** Of the run to be made; one that exists is not made again. */
  runId: string;
  campaignId: string;
  revision: number;
  country: string;
  users: readonly string[];
  /** By step of the chain. */
  modes: readonly StepMode[];
  batchUsers: number;
  /** Null: it gives nothing, and needs no approval. */
  clearedBy: ClearedBy | null;
  /** Who asks, for the history of the run. */
  asker: Asker;
}

export type TestSends = ReturnType<typeof createTestSends>;

/** Runs of a few users, beside what their campaigns do (docs/decisions/0083-a-test-send.md). */
export function createTestSends({ pool, quotas }: { pool: Pool; quotas: Quotas }) {
  return {
    /**
     * Begins a run of these users, with its feed: no trigger has to prepare it.
     * @returns false where the campaign is at another revision, is put away, or may not begin by what it was cleared by
     */
    begin: async ({ clearedBy, ...test }: NewTestSend): Promise<boolean> => {
      const { rows } = await pool.query<{ account: string | null }>(selectAccount, [test.campaignId]);
      const asked = { account: rows[0]?.account ?? null, quotas, of: ['openRuns'] as const };
      return await withinQuota(pool, asked, async (client) => {
        // Of two at once, the second takes the time behind the first one's.
        await client.query(lockCampaign, [test.campaignId]);
        const { policy = null, approvalId = null } = clearedBy ?? {};
        const judged = { isJudged: clearedBy !== null, policy, approvalId };
        await client.query(insertTest.with({ ...test, ...judged, feedId: uuidv7(), longestSeconds }));
        return (await client.query(selectRun, [test.runId])).rowCount === 1;
      });
    },
  };
}

const selectAccount = `select account from campaigns where id = $1`;

const lockCampaign = `select from campaigns where id = $1 for no key update`;

const selectRun = `select from runs where id = $1`;

interface TestParams extends Omit<NewTestSend, 'clearedBy'>, ClearedBy {
  isJudged: boolean;
  feedId: string;
  longestSeconds: number;
}

/** It is paused by nothing but people. A step that gives nothing costs its campaign's budget nothing. */
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
