import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { ApiKeyRecord, ApiKeys } from '../../ports/api-keys.ts';

export function createApiKeys({ pool }: { pool: Pool }): ApiKeys {
  async function select(text: string, values: string[]): Promise<ApiKeyRecord[]> {
    return (await pool.query<ApiKeyRecord>(text, values)).rows;
  }

  return {
    add: async (name, digest, role) => {
      await pool.query(
        'insert into api_keys (id, name, digest, role) values ($1, $2, $3, $4) on conflict (digest) do nothing',
        [uuidv7(), name, digest, role],
      );
      const [record] = await select(`${selectKeys} where digest = $1`, [digest]);
      if (!record) throw new Error(`API key ${JSON.stringify(name)} was not kept`);
      return record;
    },

    find: async (digest) => {
      const [record] = await select(`${selectKeys} where digest = $1 and revoked_at is null`, [digest]);
      return record;
    },

    list: () => select(`${selectKeys} order by id`, []),

    revoke: async (key) => {
      const { rowCount } = await pool.query(
        'update api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1',
        [key],
      );
      return rowCount === 1;
    },
  };
}

const selectKeys = `
  select id as key, name, role, created_at as "createdAt", revoked_at as "revokedAt" from api_keys`;
