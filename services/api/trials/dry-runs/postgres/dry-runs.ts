import type { Pool } from 'pg';
import type { Quotas } from '../../../../../shared/domain/quotas.ts';
import { unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { withinQuota } from '../../../../../shared/postgres/registry/account-quotas.ts';
import type { Asker } from '../../../../../shared/domain/run/asker.ts';
import { timeBeside } from '../../../runs/postgres/time-beside.ts';

const longestSeconds = 6 * 3600;
/** Rate that the segmentation service and the database can serve beside live runs. */
const usersPerSecond = 20_000;

export interface NewDryRun {
  /** Id of the run to create; an existing run is not created again. */
  runId: string;
  campaignId: string;
  revision: number;
  /** The person or key that requested the run, for its history. */
  asker: Asker;
}

/**
 * Store of dry runs, which read whole audiences without a call
 * (docs/decisions/0083-test-sends-canaries-and-dry-runs.md).
 */
export function createDryRuns({ pool, quotas }: { pool: Pool; quotas: Quotas }) {
  return {
    /**
     * Inserts the run, which a trigger then prepares.
     * @returns false if the campaign has another revision or is archived
     */
    begin: async ({ runId, campaignId, revision, asker }: NewDryRun): Promise<boolean> => {
      const { rows } = await pool.query<{ account: string | null }>(lookAtCampaign, [campaignId]);
      const asked = { account: rows[0]?.account ?? null, quotas, of: ['openRuns'] as const };
      return await withinQuota(pool, asked, async (client) => {
        // Serializes concurrent dry runs, so that each gets a different time.
        await client.query(holdCampaign, [campaignId]);
        await client.query(insertDryRun.with({ runId, campaignId, revision, asker, settings, longestSeconds }));
        return (await client.query(isThere, [runId])).rowCount === 1;
      });
    },
  };
}

/** The campaign's pace and limits apply to the live run that is forecast, not to the dry run. */
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
