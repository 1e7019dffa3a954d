import type { Pool } from 'pg';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';

/** What of a campaign goes on, will begin by itself, or waits for approval: none that has any of it is put away. */
export interface UnderWay {
  kind: 'run' | 'schedule' | 'start' | 'approval';
  id: string;
  state: string;
}

export type CampaignArchive = ReturnType<typeof createCampaignArchive>;

/** Campaigns that are put away, and drafts that are deleted (docs/decisions/0015-life-of-campaigns-and-runs.md). */
export function createCampaignArchive({ pool }: { pool: Pool }) {
  return {
    /** Puts it away; no effect where it is already. @returns what keeps it from that */
    archive: (campaignId: string): Promise<UnderWay | null> =>
      inTransaction(pool, async (client) => {
        await client.query(lockCampaign, [campaignId]);
        const { rows } = await client.query<UnderWay>(selectUnderWay, [campaignId]);
        const [underWay] = rows;
        if (underWay) return underWay;
        await client.query(archiveCampaign, [campaignId]);
        return null;
      }),

    /** No effect where it is not put away. */
    unarchive: async (campaignId: string): Promise<void> => {
      await pool.query(unarchiveCampaign, [campaignId]);
    },

    /** Deletes a draft that never ran, with its revisions. @returns false, and no effect, where it is none */
    deleteDraft: (campaignId: string): Promise<boolean> =>
      inTransaction(pool, async (client) => {
        await client.query(lockCampaign, [campaignId]);
        const { rowCount } = await client.query(deleteDraft, [campaignId]);
        return rowCount === 1;
      }),
  };
}

/** A change or a start of the same moment is waited for, and seen by the statement behind it. */
const lockCampaign = 'select from campaigns where id = $1 for update';

const selectUnderWay = `
  select 'run' as kind, id, state from runs where campaign = $1 and ended_at is null
  union all
  select 'schedule', id, state from schedules where campaign = $1 and state in ('active', 'paused', 'broken')
  union all
  select 'start', id, 'due' from run_starts where campaign = $1
  union all
  select 'approval', id, state from approvals where campaign = $1 and state = 'waiting'
  limit 1`;

const archiveCampaign = `
  update campaigns set archived_at = now(), updated_at = now() where id = $1 and archived_at is null`;

const unarchiveCampaign = `
  update campaigns set archived_at = null, updated_at = now() where id = $1 and archived_at is not null`;

const deleteDraft = `
  with gone as (
    delete from campaigns c
    where c.id = $1 and c.state = 'draft' and not exists (select from runs where campaign = c.id)
      and not exists (select from approvals where campaign = c.id and state = 'waiting')
    returning c.id
  ), revisions as (
    delete from campaign_revisions where campaign in (select id from gone)
  ), units as (
    delete from budgets where campaign in (select id from gone)
  )
  select from gone`;
