import type { Pool } from 'pg';
import type {
  DeadLetterBytes,
  DeadLetterFilter,
  DeadLetterGroupRow,
  DeadLetterRow,
  DeadLetterStore,
} from '../dead-letter-store.port.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';

export function createDeadLetterStore({ pool }: { pool: Pool }): DeadLetterStore {
  return {
    groups: async (filter) => {
      const { rows } = await pool.query<DeadLetterGroupRow>(selectGroups, valuesOf(filter));
      return rows;
    },
    list: async (filter, limit, cursor) => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<DeadLetterRow>(selectLetters, [...valuesOf(filter), limit + 1, cursor]);
      return pageOf(rows, limit, ({ letterId }) => letterId);
    },
    find: async (letterId, maxBytes) => {
      const { rows } = await pool.query<DeadLetterRow & DeadLetterBytes>(selectLetter, [letterId, maxBytes]);
      return rows[0];
    },
    settle: async (letterId, to) => {
      await pool.query(settleOne, [letterId, to]);
      const { rows } = await pool.query<DeadLetterRow>(selectLetter, [letterId, 0]);
      return rows[0];
    },
    settleAll: async ({ topic, reason }, to) => {
      const { rowCount } = await pool.query(settleMany, [topic ?? null, reason ?? null, 'kept', to]);
      return rowCount ?? 0;
    },
  };
}

function valuesOf({ topic, reason, state }: DeadLetterFilter): (string | null)[] {
  return [topic ?? null, reason ?? null, state ?? null];
}

/** $1 topic, $2 reason, $3 state; null: any. */
const fits = `($1::text is null or topic = $1) and ($2::text is null or reason = $2) and ($3::text is null or state = $3)`;

const row = `id as "letterId", topic, partition, "offset"::float8 as "offset", reason, state, replays,
  coalesce(length(value), 0) as bytes, created_at as "createdAt", settled_at as "settledAt"`;

const selectGroups = `
  select topic, reason, count(*)::int as letters, min(created_at) as "firstAt", max(created_at) as "lastAt"
  from dead_letters where ${fits} group by topic, reason order by letters desc, topic, reason collate "C" limit 1000`;

/** $4 limit, $5 id of the last letter of the page before, or null. */
const selectLetters = `
  select ${row} from dead_letters where ${fits} and ($5::uuid is null or id < $5) order by id desc limit $4`;

/** $1 letter, $2 bytes of the value at most. */
const selectLetter = `select ${row}, key, substring(value for $2::int) as value from dead_letters where id = $1`;

const settled = (state: string) => `state = ${state}, settled_at = case when ${state} = 'discarded' then now() end`;

/** $1 letter, $2 state. */
const settleOne = `update dead_letters set ${settled('$2::text')} where id = $1 and state = 'kept'`;

const settleMany = `update dead_letters set ${settled('$4::text')} where ${fits}`;
