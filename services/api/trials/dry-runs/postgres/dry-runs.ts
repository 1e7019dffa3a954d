import type { Pool } from 'pg';
import type { Quotas } from '../../../../../shared/domain/quotas.ts';
import { unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { withinQuota } from '../../../../../shared/postgres/registry/account-quotas.ts';
import type { Asker } from '../../../../../shared/domain/run/asker.ts';
import { timeBeside } from '../../../runs/postgres/time-beside.ts';

const longestSeconds = 6 * 3600;
/** What the segmentation service and the database do for it beside the runs that give something. */
const usersPerSecond = 20_000;

export interface NewDryRun {
  /** Of the run to be made; one that exists is not made again. */
  runId: string;
  campaignId: string;
  revision: number;
  /** Who asks, for the history of the run. */
  asker: Asker;
}

/** Runs of whole audiences without a call (docs/decisions/0083-test-sends-canaries-and-dry-runs.md). */
export function createDryRuns({ pool, quotas }: { pool: Pool; quotas: Quotas }) {
  return {
    /**
     * Has a trigger prepare it.
     * @returns false where the campaign is at another revision, or put away
     */
    begin: async ({ runId, campaignId, revision, asker }: NewDryRun): Promise<boolean> => {
      const { rows } = await pool.query<{ account: string | null }>(lookAtCampaign, [campaignId]);
      const asked = { account: rows[0]?.account ?? null, quotas, of: ['openRuns'] as const };
      return await withinQuota(pool, asked, async (client) => {
        // Of two at once, the second takes the time behind the first one's.
        await client.query(holdCampaign, [campaignId]);
        await client.query(insertDryRun.with({ runId, campaignId, revision, asker, settings, longestSeconds }));
        return (await client.query(isThere, [runId])).rowCount === 1;
      });
    },
  };
}

/** Its campaign's pace and limits are of the run that it foretells. */
const settings = JSON.stringify({
  priority: 'low',
  paceUsersPerSecond: usersPerSecond,
  pauseAtFailedPercent: null,
});

const lookAtCampaign = `select account from campaigns where id = $1`;

const holdCampaign = `select from campaigns where id = $1 for no key update`;

const isThere = `select from runs where id = $1`;

const insertDryRun = unnamedStatementOf<NewDryRun & { settings: string; longestSeconds: number }>(
  ($) => `
  with r as (
    insert into runs (id, campaign, revision, scheduled_for, kind, state, deadline_at, settings)
    select ${$('runId')}::uuid, c.id, c.revision, ${timeBeside('dry-run')}, 'dry-run', 'preparing',
      now() + ${$('longestSeconds')}::float8 * interval '1 second', ${$('settings')}::jsonb
    from campaigns c
    where c.id = ${$('campaignId')} and c.revision = ${$('revision')}::int and c.archived_at is null
    on conflict (id) do nothing
    returning id
  )
  insert into run_events (run, kind, detail)
  select id, 'created', jsonb_build_object('by', ${$('asker')}::jsonb) from r`,
);
