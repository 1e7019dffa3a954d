import type { Pool, PoolClient, QueryResult } from 'pg';
import type { SavedAudienceDefinition } from '../../../../../shared/contracts/campaigns/saved-audiences.ts';
import type { UserBounds } from '../../../../../shared/contracts/campaigns/user-bounds.ts';
import { publicId, uuidOf } from '../../../../../shared/domain/ids/ids.ts';
import type { Quotas } from '../../../../../shared/domain/quotas.ts';
import { withinQuota } from '../../../../../shared/postgres/registry/account-quotas.ts';
import type { Redefinition } from '../../../frame/redefinition.port.ts';
import { insertNextRevision, insertRevised } from '../../../frame/postgres/revised-rows.ts';

export interface SavedAudienceRecord {
  savedAudienceId: string;
  revision: number;
  definition: SavedAudienceDefinition;
  createdAt: Date;
  updatedAt: Date;
}

export interface SavedAudienceUse {
  /** Number of campaigns that are not archived and have the sources of this saved audience. */
  usedBy: number;
  latest: { campaignId: string; name: string; revision: number; createdAt: Date } | null;
}

export type UsedSavedAudience = SavedAudienceRecord & SavedAudienceUse;

/** `list-gone`: a list of the audience was deleted meanwhile, and nothing was written. */
export type ListDeleted = 'list-gone';

export type SavedAudiences = ReturnType<typeof createSavedAudienceStore>;

/** Creates the store of saved audiences (docs/decisions/0101-saved-audiences-counts-and-use.md). */
export function createSavedAudienceStore({ pool, quotas }: { pool: Pool; quotas: Quotas }) {
  const changes = (account: string | null) => ({ account, quotas, of: ['campaignChanges'] as const });

  async function get(savedAudienceId: string): Promise<UsedSavedAudience | undefined> {
    const { rows } = await pool.query<SavedAudienceRecord>(`${selectSaved} where s.id = $1`, [savedAudienceId]);
    return rows[0] && { ...rows[0], ...(await useOf(pool, savedAudienceId)) };
  }

  /**
   * Writes a revision.
   * @returns number of revisions written; undefined if a list of the audience does not exist
   */
  function write(
    definition: SavedAudienceDefinition,
    account: string | null,
    work: (client: PoolClient) => Promise<QueryResult>,
  ): Promise<number | undefined> {
    return withinQuota(pool, changes(account), async (client) =>
      (await lockLists(client, definition)) ? ((await work(client)).rowCount ?? 0) : undefined,
    );
  }

  return {
    get,

    /**
     * Stores a saved audience. If its id exists, the existing saved audience is returned unchanged.
     * @param savedAudienceId UUID v7
     * @throws {BeyondQuotaError} if a quota allows no further saved audience
     */
    create: async (
      savedAudienceId: string,
      definition: SavedAudienceDefinition,
      account: string | null,
    ): Promise<UsedSavedAudience | ListDeleted> => {
      if (!(await get(savedAudienceId))) {
        const written = await write(definition, account, (client) =>
          client.query(insertSaved, [savedAudienceId, definition, account]),
        );
        if (written === undefined) return 'list-gone';
      }
      const record = await get(savedAudienceId);
      if (!record) throw new Error(`the saved audience ${savedAudienceId} was not inserted`);
      return record;
    },

    /**
     * Stores another definition as the next revision. Writes nothing if the revision has changed meanwhile, so that of
     * two concurrent changes only one takes effect.
     * @throws {BeyondQuotaError} if a quota is exceeded
     */
    redefine: async (
      savedAudienceId: string,
      definition: SavedAudienceDefinition,
      revision: number,
      account: string | null,
    ): Promise<Redefinition<UsedSavedAudience> | ListDeleted | undefined> => {
      const written = await write(definition, account, (client) =>
        client.query(nextRevision, [savedAudienceId, revision, definition, account]),
      );
      if (written === undefined) return 'list-gone';
      const record = await get(savedAudienceId);
      return record && { isWritten: written === 1, record };
    },

    /**
     * Stores the estimate of a revision. Writes nothing if the revision has changed or the estimate has no upper bound.
     */
    saveEstimate: async (
      { savedAudienceId, revision }: Pick<SavedAudienceRecord, 'savedAudienceId' | 'revision'>,
      { atLeast, atMost }: UserBounds,
      asOf: Date,
    ): Promise<void> => {
      if (atMost === null) return;
      const estimate = { revision, atLeast, atMost, asOf: asOf.toISOString() };
      await pool.query(saveEstimate, [savedAudienceId, revision, estimate]);
    },

    /** Deletes a saved audience and its revisions. Campaigns keep their copies of its sources. */
    delete: async (savedAudienceId: string): Promise<void> => {
      await pool.query('delete from saved_audiences where id = $1', [savedAudienceId]);
    },
  };
}

/**
 * Returns true if all lists exist. Locks them in a fixed order, which prevents deadlocks. None of them is deleted
 * before the transaction ends, because `deleteUnusedList` waits for the locks.
 */
async function lockLists(client: PoolClient, { audience }: SavedAudienceDefinition): Promise<boolean> {
  const { include, exclude = [] } = audience;
  const named = [...include, ...exclude].flatMap((entry) => ('list' in entry ? [entry.list] : []));
  if (named.length === 0) return true;
  const lists = new Set(named.map((list) => uuidOf('audience', list)));
  return (await client.query(selectLists, [[...lists]])).rowCount === lists.size;
}

async function useOf(pool: Pool, savedAudienceId: string): Promise<SavedAudienceUse> {
  const { rows } = await pool.query<UseRow>(selectUse, [publicId('savedAudience', savedAudienceId)]);
  if (!rows[0]) return { usedBy: 0, latest: null };
  const { usedBy, ...latest } = rows[0];
  return { usedBy, latest };
}

type UseRow = NonNullable<SavedAudienceUse['latest']> & Pick<SavedAudienceUse, 'usedBy'>;

const selectLists = `
  select from audiences where id = any($1::uuid[]) and state = 'ready' order by id for key share`;

const insertSaved = insertRevised('saved_audiences', 'saved_audience');

const nextRevision = insertNextRevision('saved_audiences', 'saved_audience');

const saveEstimate = `
  update saved_audiences set estimate = $3::jsonb where id = $1 and revision = $2`;

const selectSaved = `
  select s.id as "savedAudienceId", s.revision, r.definition, s.created_at as "createdAt", s.updated_at as "updatedAt"
  from saved_audiences s join revisions r on r.saved_audience = s.id and r.revision = s.revision`;

/**
 * Selects the uses of a saved audience. Returns no row if all campaigns with its sources are archived. Parameter: $1
 * public id.
 */
const selectUse = `
  select n.campaigns as "usedBy", c.id as "campaignId", c.name,
    (c.about #>> '{savedAudience,revision}')::int as revision, c.created_at as "createdAt"
  from named_audiences n
  cross join lateral (
    select used_by from audience_uses where kind = 'saved' and source = n.source and not by_saved_audience
    order by used_by desc limit 1
  ) newest
  join campaigns c on c.id = newest.used_by
  where n.kind = 'saved' and n.source = $1`;
