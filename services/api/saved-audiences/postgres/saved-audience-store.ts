import type { Pool } from 'pg';
import {
  usesCountedAtMost,
  type SavedAudienceDefinition,
} from '../../../../shared/contracts/campaigns/saved-audiences.ts';
import type { UserBounds } from '../../../../shared/contracts/campaigns/user-bounds.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { Quotas } from '../../../../shared/domain/quotas.ts';
import { withinQuota } from '../../../../shared/postgres/registry/account-quotas.ts';
import type { Page } from '../../frame/page.port.ts';
import { patternOf } from '../../frame/postgres/name-pattern.ts';
import { pageOf } from '../../frame/postgres/pages.ts';

export interface SavedAudienceRecord {
  savedAudienceId: string;
  revision: number;
  definition: SavedAudienceDefinition;
  createdAt: Date;
  updatedAt: Date;
}

export interface SavedAudienceUse {
  /** Up to `usesCountedAtMost`. */
  usedBy: number;
  latest: { campaignId: string; name: string; revision: number; createdAt: Date } | null;
}

export type UsedSavedAudience = SavedAudienceRecord & SavedAudienceUse;

export type SavedAudienceStore = ReturnType<typeof createSavedAudienceStore>;

/** Combinations of sources that campaigns take by copying them (docs/decisions/0108-saved-audiences.md). */
export function createSavedAudienceStore({ pool, quotas }: { pool: Pool; quotas: Quotas }) {
  const changes = (account: string | null) => ({ account, quotas, of: ['campaignChanges'] as const });

  async function get(savedAudienceId: string): Promise<UsedSavedAudience | undefined> {
    const { rows } = await pool.query<SavedAudienceRecord>(`${selectSaved} where s.id = $1`, [savedAudienceId]);
    return (await withUses(pool, rows))[0];
  }

  return {
    get,

    /**
     * @param savedAudienceId uuid v7; one that exists is not created again but answered as it is
     * @throws {BeyondQuotaError}
     */
    create: async (savedAudienceId: string, definition: SavedAudienceDefinition, account: string | null) => {
      if (!(await get(savedAudienceId)))
        await withinQuota(pool, changes(account), (client) =>
          client.query(insertSaved, [savedAudienceId, definition, account]),
        );
      const record = await get(savedAudienceId);
      if (!record) throw new Error(`the saved audience ${savedAudienceId} was not inserted`);
      return record;
    },

    /**
     * Gives it another definition, as its next revision. No effect where it is at another revision by now.
     * @throws {BeyondQuotaError}
     */
    redefine: async (
      savedAudienceId: string,
      definition: SavedAudienceDefinition,
      revision: number,
      account: string | null,
    ): Promise<UsedSavedAudience | undefined> => {
      await withinQuota(pool, changes(account), (client) =>
        client.query(nextRevision, [savedAudienceId, revision, definition, account]),
      );
      return await get(savedAudienceId);
    },

    /** Remembers how many users a revision was about; no effect where it is at another one, or that is not known. */
    noteEstimate: async (
      { savedAudienceId, revision }: Pick<SavedAudienceRecord, 'savedAudienceId' | 'revision'>,
      { atLeast, atMost }: UserBounds,
      asOf: Date,
    ): Promise<void> => {
      if (atMost === null) return;
      const estimate = { revision, atLeast, atMost, asOf: asOf.toISOString() };
      await pool.query(noteEstimate, [savedAudienceId, revision, estimate]);
    },

    /** With its revisions. Campaigns have copies of its sources. */
    delete: async (savedAudienceId: string): Promise<void> => {
      await pool.query('delete from saved_audiences where id = $1', [savedAudienceId]);
    },

    /** The newest first. @param search part of the name, large and small letters alike */
    page: async (
      search: string | undefined,
      limit: number,
      before: string | null,
    ): Promise<Page<UsedSavedAudience>> => {
      const { rows } = await pool.query<SavedAudienceRecord>(selectPage, [patternOf(search), before, limit + 1]);
      const { items, next } = pageOf(rows, limit, ({ savedAudienceId }) => savedAudienceId);
      return { items: await withUses(pool, items), next };
    },

    /** What a revision of one says; undefined where there is none. */
    revision: async (savedAudienceId: string, revision: number): Promise<SavedAudienceDefinition | undefined> => {
      const { rows } = await pool.query<Pick<SavedAudienceRecord, 'definition'>>(selectRevision, [
        savedAudienceId,
        revision,
      ]);
      return rows[0]?.definition;
    },
  };
}

/** Of each, no more campaigns are read than are counted: by what is noted of their use. */
async function withUses(pool: Pool, records: readonly SavedAudienceRecord[]): Promise<UsedSavedAudience[]> {
  if (records.length === 0) return [];
  const idOf = ({ savedAudienceId }: SavedAudienceRecord) => publicId('savedAudience', savedAudienceId);
  const { rows } = await pool.query<UseRow>(selectUses, [records.map(idOf)]);
  const uses = new Map(rows.map((row) => [row.id, row]));
  return records.map((record) => {
    const { usedBy = 0, campaignId = null, name = '', revision = 1, createdAt } = uses.get(idOf(record)) ?? {};
    const latest = campaignId === null || !createdAt ? null : { campaignId, name, revision, createdAt };
    return { ...record, usedBy, latest };
  });
}

interface UseRow {
  id: string;
  usedBy: number;
  campaignId: string;
  name: string;
  revision: number;
  createdAt: Date;
}

const insertSaved = `
  with s as (
    insert into saved_audiences (id, name, account) values ($1, $2::jsonb ->> 'name', $3) on conflict (id) do nothing
    returning id
  )
  insert into saved_audience_revisions (saved_audience, revision, definition, account)
  select id, 1, $2::jsonb, $3 from s`;

const nextRevision = `
  with s as (
    update saved_audiences set revision = revision + 1, name = $3::jsonb ->> 'name', updated_at = now()
    where id = $1 and revision = $2 returning id, revision
  )
  insert into saved_audience_revisions (saved_audience, revision, definition, account)
  select id, revision, $3::jsonb, $4 from s`;

const noteEstimate = `
  update saved_audiences set estimate = $3::jsonb where id = $1 and revision = $2`;

const selectSaved = `
  select s.id as "savedAudienceId", s.revision, r.definition, s.created_at as "createdAt", s.updated_at as "updatedAt"
  from saved_audiences s join saved_audience_revisions r on r.saved_audience = s.id and r.revision = s.revision`;

const selectPage = `${selectSaved}
  where ($1::text is null or s.name ilike $1) and ($2::uuid is null or s.id < $2)
  order by s.id desc limit $3`;

const selectRevision = `
  select definition from saved_audience_revisions where saved_audience = $1 and revision = $2`;

/** $1 public ids. Only those that a campaign took which is not put away. */
const selectUses = `
  select u.id, l.n as "usedBy", c.id as "campaignId", c.name, (c.about #>> '{savedAudience,revision}')::int as revision,
    c.created_at as "createdAt"
  from unnest($1::text[]) u(id)
  cross join lateral (
    select campaign from audience_uses where kind = 'saved' and source = u.id order by campaign desc limit 1
  ) newest
  join campaigns c on c.id = newest.campaign
  cross join lateral (
    select count(*)::int as n from (
      select from audience_uses where kind = 'saved' and source = u.id limit ${usesCountedAtMost}
    ) taken
  ) l`;
