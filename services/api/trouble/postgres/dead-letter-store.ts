import type { Pool } from 'pg';
import type { DeadLetterState } from '../../../../shared/contracts/messages/dead-letters.ts';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';

export interface DeadLetterFilter {
  topic?: string | undefined;
  reason?: string | undefined;
  state?: DeadLetterState | undefined;
}

export interface DeadLetterRow {
  letterId: string;
  topic: string;
  partition: number;
  offset: number;
  reason: string;
  state: DeadLetterState;
  replays: number;
  bytes: number;
  createdAt: Date;
  settledAt: Date | null;
}

export interface DeadLetterBytes {
  key: Buffer | null;
  /** At most so many bytes as were asked for. */
  value: Buffer | null;
}

export interface DeadLetterGroupRow {
  topic: string;
  reason: string;
  letters: number;
  firstAt: Date;
  lastAt: Date;
}

export type DeadLetterStore = ReturnType<typeof createDeadLetterStore>;

/** Messages that were set aside, for people who decide what becomes of them. */
export function createDeadLetterStore({ pool }: { pool: Pool }) {
  return {
    /** By topic and reason, the largest first. */
    groups: async (filter: DeadLetterFilter) => {
      const { rows } = await pool.query<DeadLetterGroupRow>(selectGroups.with(filterOf(filter)));
      return rows;
    },
    /**
     * Newest first; `cursor` is the id of the last one of the page before.
     * @throws {InvalidCursorError} when it is no id
     */
    list: async (filter: DeadLetterFilter, limit: number, cursor: string | null) => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<DeadLetterRow>(
        selectLetters.with({ ...filterOf(filter), limit: limit + 1, cursor }),
      );
      return pageOf(rows, limit, ({ letterId }) => letterId);
    },
    find: async (letterId: string, maxBytes: number): Promise<(DeadLetterRow & DeadLetterBytes) | undefined> => {
      const { rows } = await pool.query<DeadLetterRow & DeadLetterBytes>(selectLetter, [letterId, maxBytes]);
      return rows[0];
    },
    /**
     * Moves a letter on, if no person has decided about it yet. Returns it as it is then; undefined when there is none.
     */
    settle: async (letterId: string, to: Decision): Promise<DeadLetterRow | undefined> => {
      await pool.query(settleOne, [letterId, to]);
      const { rows } = await pool.query<DeadLetterRow>(selectLetter, [letterId, 0]);
      return rows[0];
    },
    /** The same with all of a topic or reason about which no person has decided. Returns how many. */
    settleAll: async ({ topic, reason }: Omit<DeadLetterFilter, 'state'>, to: Decision) => {
      const { rowCount } = await pool.query(settleMany.with({ ...filterOf({ topic, reason, state: 'kept' }), to }));
      return rowCount ?? 0;
    },
  };
}

type Decision = 'replaying' | 'discarded';

/** Null: any. */
type Filter = Record<keyof DeadLetterFilter, string | null>;

function filterOf({ topic, reason, state }: DeadLetterFilter): Filter {
  return { topic: topic ?? null, reason: reason ?? null, state: state ?? null };
}

const fits = ($: (param: keyof Filter) => string) => `
  (${$('topic')}::text is null or topic = ${$('topic')})
      and (${$('reason')}::text is null or reason = ${$('reason')})
  and (${$('state')}::text is null or state = ${$('state')})`;

const row = `id as "letterId", topic, partition, "offset"::float8 as "offset", reason, state, replays,
  coalesce(length(value), 0) as bytes, created_at as "createdAt", settled_at as "settledAt"`;

const selectGroups = unnamedStatementOf<Filter>(
  ($) => `
  select topic, reason, count(*)::int as letters, min(created_at) as "firstAt", max(created_at) as "lastAt"
  from dead_letters where ${fits($)}
  group by topic, reason order by letters desc, topic, reason collate "C" limit 1000`,
);

/** Behind the last letter of the page before, or null. */
const selectLetters = unnamedStatementOf<Filter & { limit: number; cursor: string | null }>(
  ($) => `
  select ${row} from dead_letters
  where ${fits($)} and (${$('cursor')}::uuid is null or id < ${$('cursor')}) order by id desc limit ${$('limit')}`,
);

/** $1 letter, $2 bytes of the value at most. */
const selectLetter = `select ${row}, key, substring(value for $2::int) as value from dead_letters where id = $1`;

const settled = (state: string) => `state = ${state}, settled_at = case when ${state} = 'discarded' then now() end`;

/** $1 letter, $2 state. */
const settleOne = `update dead_letters set ${settled('$2::text')} where id = $1 and state = 'kept'`;

const settleMany = unnamedStatementOf<Filter & { to: string }>(
  ($) => `update dead_letters set ${settled(`${$('to')}::text`)} where ${fits($)}`,
);
