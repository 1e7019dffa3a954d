import type { Pool } from 'pg';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';

/** Unfinished part of a campaign that prevents archiving: a run, a schedule, a start or an approval. */
export interface ArchiveBlocker {
  kind: 'run' | 'schedule' | 'start' | 'approval';
  id: string;
  state: string;
}

export type CampaignArchive = ReturnType<typeof createCampaignArchive>;

/** Creates the store that archives campaigns and deletes drafts (docs/decisions/0015-life-of-campaigns-and-runs.md). */
export function createCampaignArchive({ pool }: { pool: Pool }) {
  return {
    /**
     * Archives a campaign. Has no effect if it is already archived.
     * @returns the reason that prevents archiving; null if the campaign is archived
     */
    archive: (campaignId: string): Promise<ArchiveBlocker | null> =>
      inTransaction(pool, async (client) => {
        await client.query(lockCampaign, [campaignId]);
        const { rows } = await client.query<ArchiveBlocker>(selectUnderWay, [campaignId]);
        const [blocker] = rows;
        if (blocker) return blocker;
        await client.query(archiveCampaign, [campaignId]);
        return null;
      }),

    /** Restores a campaign from the archive. Has no effect if it is not archived. */
    unarchive: async (campaignId: string): Promise<void> => {
      await pool.query(unarchiveCampaign, [campaignId]);
    },

    /**
     * Deletes a draft that never had a run, with its revisions.
     * @returns false, without an effect, for any other campaign
     */
    deleteDraft: (campaignId: string): Promise<boolean> =>
      inTransaction(pool, async (client) => {
        await client.query(lockCampaign, [campaignId]);
        const { rowCount } = await client.query(deleteDraft, [campaignId]);
        return rowCount === 1;
      }),
  };
}

/** Waits for a concurrent change or start of the campaign, so that the next statement sees its result. */
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
  ), units as (
    delete from budgets where campaign in (select id from gone)
  )
  select from gone`;
