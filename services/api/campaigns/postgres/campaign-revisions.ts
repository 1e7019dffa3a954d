import type { Pool } from 'pg';
import type { CampaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';

export interface RevisionRecord {
  revision: number;
  /** Definition as it was written; budgets may have been raised since. */
  definition: CampaignDefinition;
  createdAt: Date;
}

export type CampaignRevisions = ReturnType<typeof createCampaignRevisions>;

export function createCampaignRevisions({ pool }: { pool: Pool }) {
  return {
    /** Returns revisions, newest first. @param before last revision of the previous page; null: from the newest */
    page: async (campaignId: string, limit: number, before: number | null) => {
      const { rows } = await pool.query<ListedRow>(selectPage, [campaignId, before, limit + 1]);
      const items = rows.slice(0, limit);
      return { items, next: rows.length > limit ? (items.at(-1)?.revision ?? null) : null };
    },

    find: async (campaignId: string, revision: number): Promise<RevisionRecord | undefined> => {
      const { rows } = await pool.query<RevisionRecord>(selectRevision, [campaignId, revision]);
      return rows[0];
    },
  };
}

interface ListedRow {
  revision: number;
  name: string;
  createdAt: Date;
}

const selectPage = `
  select revision, definition ->> 'name' as name, created_at as "createdAt" from revisions
  where campaign = $1 and ($2::int is null or revision < $2) order by revision desc limit $3`;

const selectRevision = `
  select revision, definition, created_at as "createdAt" from revisions
  where campaign = $1 and revision = $2`;
