import type { Pool } from 'pg';
import type { z } from 'zod';
import { keptCap, type writtenCap } from '../../../../../shared/contracts/endpoints/caps.ts';
import { changeRegistry } from '../../../../../shared/postgres/registry/registry.ts';

export type KeptCap = z.output<typeof keptCap>;

/** A cap to store: exempt campaigns by uuid. */
export type NewCap = z.output<typeof writtenCap>;

export interface CapsRecord {
  /** Revision of the caps; 0 if they were never set. */
  revision: number;
  caps: KeptCap[];
  madeAt: Date | null;
}

const noCaps: CapsRecord = { revision: 0, caps: [], madeAt: null };

const selectNewest = `
  select revision, caps, created_at as "madeAt" from cap_revisions order by revision desc limit 1`;

/**
 * Inserts the next revision. Inserts no row for an outdated revision. A cap keeps the time from which it counts if the
 * former cap of the same name had all of its action types: only then are its earlier effects known. Parameters: $1
 * caps, $2 key of the caller, $3 expected revision or null.
 */
const insertCaps = `
  insert into cap_revisions (revision, caps, created_by)
  select n.revision + 1, coalesce((
      select jsonb_agg(g.cap || jsonb_build_object('countsFrom', coalesce(f.counts_from, now())) order by g.position)
      from jsonb_array_elements($1::jsonb) with ordinality g (cap, position)
      left join caps f on f.name = g.cap ->> 'name'
        and array(select jsonb_array_elements_text(g.cap -> 'actionTypes')) <@ f.action_types
    ), '[]'), $2
  from (select coalesce(max(revision), 0) as revision from cap_revisions) n
  where $3::int is null or n.revision = $3::int`;

const selectCampaigns = 'select id from campaigns where id = any($1::uuid[])';

export function createCapsStore({ pool }: { pool: Pool }) {
  async function read(): Promise<CapsRecord> {
    const { rows } = await pool.query<{ revision: number; caps: unknown; madeAt: Date }>(selectNewest);
    const [row] = rows;
    return row ? { ...row, caps: keptCap.array().parse(row.caps) } : noCaps;
  }

  return {
    read,
    /**
     * Sets the caps. Returns undefined if the current revision is not the expected one.
     * @param expected revision that the caller expects; null permits any
     */
    set: async (caps: readonly NewCap[], expected: number | null, by: string | null) => {
      const values = [JSON.stringify(caps), by, expected];
      const isMade = await changeRegistry(pool, async (client) => (await client.query(insertCaps, values)).rowCount);
      return isMade === 1 ? await read() : undefined;
    },
    /** Returns those of the campaigns that exist. */
    existing: async (campaigns: readonly string[]): Promise<Set<string>> => {
      if (campaigns.length === 0) return new Set();
      const { rows } = await pool.query<{ id: string }>(selectCampaigns, [campaigns]);
      return new Set(rows.map(({ id }) => id));
    },
  };
}
