import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { RejectedRow } from '../../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import type { Quotas } from '../../../../../shared/domain/quotas.ts';
import { withinQuota } from '../../../../../shared/postgres/registry/account-quotas.ts';
import type { AudienceRecord, AudienceStore, UploadStart } from '../audience-store.port.ts';
import type { Upload } from '../../../user-files/upload.port.ts';
import { deleteUnusedList } from '../../../../../shared/postgres/audiences/delete-audience.ts';
import * as statements from './audience-statements.ts';
import { beginUpload } from './audience-upload.ts';
import { pageOf } from '../../../frame/postgres/pages.ts';

const bytesOfLists = ['listBytes', 'allListBytes'] as const;

export interface AudienceStoreDeps {
  pool: Pool;
  /**
   * Connections of uploads. They are separate from those of short statements, because an upload holds a connection
   * until its sender has finished.
   */
  uploadPool: Pool;
  quotas: Quotas;
}

export function createAudienceStore({ pool, uploadPool, quotas }: AudienceStoreDeps): AudienceStore {
  async function get(audienceId: string): Promise<AudienceRecord | undefined> {
    const { rows } = await pool.query<AudienceRow>(statements.selectOne, [audienceId]);
    return rows[0] && recordOf(rows[0]);
  }

  /** Inserts the list. Returns false if a ready list has this id. */
  async function insert({ account = null, owner = null, ...start }: UploadStart, attempt: string): Promise<boolean> {
    const quota = { account, quotas, of: ['lists', ...bytesOfLists] as const };
    const { rowCount } = await withinQuota(pool, quota, (client) =>
      client.query(statements.insert.with({ ...start, account, owner, attempt })),
    );
    return rowCount === 1;
  }

  return {
    get,

    begin: async (start) => {
      const { audienceId } = start;
      const attempt = uuidv7();
      const known = await get(audienceId);
      if (known?.state === 'ready') return { kind: 'ready', record: known };
      if (!(await insert(start, attempt))) {
        const record = await get(audienceId);
        if (!record) throw new Error(`list ${audienceId} is neither new nor there`);
        return { kind: 'ready', record };
      }
      const { country, account = null } = start;
      const quota = { account, quotas, of: bytesOfLists };
      const upload = await beginUpload({ pool, uploadPool, audienceId, attempt, country, quota });
      const finish: Upload<AudienceRecord>['finish'] = async (end, judge) =>
        (await upload.finish(end, judge)) ? await get(audienceId) : undefined;
      return { kind: 'begun', upload: { ...upload, finish } };
    },

    change: async (audienceId, { name = null, owner, kept = null }) => {
      const hasOwner = owner !== undefined;
      await pool.query(statements.change.with({ audienceId, name, owner: owner ?? null, hasOwner, kept }));
      return await get(audienceId);
    },

    rejects: async (audienceId, limit, afterLine) => {
      const { rows } = await pool.query<RejectedRow>(statements.selectRejects, [audienceId, afterLine, limit + 1]);
      return pageOf(rows, limit, ({ line }) => String(line));
    },

    delete: (audienceId) => deleteUnusedList(pool, audienceId),
  };
}

interface AudienceRow extends Omit<AudienceRecord, 'countries'> {
  users: Record<string, number>;
}

function recordOf({ users, ...row }: AudienceRow): AudienceRecord {
  const countries = Object.entries(users).map(([country, count]) => ({ country, users: count }));
  return { ...row, countries: countries.sort((a, b) => (a.country < b.country ? -1 : 1)) };
}
