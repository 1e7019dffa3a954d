import type { Pool } from 'pg';
import type { MessageState } from '../../../../shared/contracts/quarantine/messages.ts';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';

export interface MessageFilter {
  topic?: string | undefined;
  reason?: string | undefined;
  state?: MessageState | undefined;
}

export interface MessageRow {
  messageId: string;
  topic: string;
  partition: number;
  offset: number;
  reason: string;
  state: MessageState;
  replays: number;
  bytes: number;
  since: Date;
  decidedAt: Date | null;
}

export interface MessageBytes {
  key: Buffer | null;
  /** Bytes of the message, truncated to the number that the caller requested. */
  value: Buffer | null;
}

export interface MessageGroupRow {
  topic: string;
  reason: string;
  items: number;
  firstAt: Date;
  lastAt: Date;
}

export type QuarantinedMessages = ReturnType<typeof createQuarantinedMessages>;

/** Creates the store of quarantined messages, which workers write to the table `dead_letters`. */
export function createQuarantinedMessages({ pool }: { pool: Pool }) {
  return {
    /** Returns groups of messages by topic and reason, the largest group first. */
    groups: async (filter: MessageFilter) => {
      const { rows } = await pool.query<MessageGroupRow>(selectGroups.with(filterOf(filter)));
      return rows;
    },
    /** Returns the number of messages without a decision, up to a limit. */
    countKept: async (limit: number): Promise<number> => {
      const { rows } = await pool.query<{ items: number }>(countKept, [limit]);
      return rows[0]?.items ?? 0;
    },
    /**
     * Returns messages, newest first. `cursor` is the id of the last message of the previous page.
     * @throws {InvalidCursorError} if the cursor is not an id
     */
    list: async (filter: MessageFilter, limit: number, cursor: string | null) => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<MessageRow>(
        selectMessages.with({ ...filterOf(filter), limit: limit + 1, cursor }),
      );
      return pageOf(rows, limit, ({ messageId }) => messageId);
    },
    find: async (messageId: string, maxBytes: number): Promise<(MessageRow & MessageBytes) | undefined> => {
      const { rows } = await pool.query<MessageRow & MessageBytes>(selectMessage, [messageId, maxBytes]);
      return rows[0];
    },
    /**
     * Stores a decision about a message, unless a decision was made before. Returns the message afterwards, or
     * undefined if it does not exist.
     */
    decide: async (messageId: string, to: Decision): Promise<MessageRow | undefined> => {
      await pool.query(decideOne, [messageId, to]);
      const { rows } = await pool.query<MessageRow>(selectMessage, [messageId, 0]);
      return rows[0];
    },
    /**
     * Stores a decision about all messages of a topic or a reason that have none. Returns the number of changed
     * messages.
     */
    decideAll: async ({ topic, reason }: Omit<MessageFilter, 'state'>, to: Decision) => {
      const { rowCount } = await pool.query(decideMany.with({ ...filterOf({ topic, reason, state: 'kept' }), to }));
      return rowCount ?? 0;
    },
  };
}

type Decision = 'replaying' | 'discarded';

/** Filter of messages; null matches any value. */
type Filter = Record<keyof MessageFilter, string | null>;

function filterOf({ topic, reason, state }: MessageFilter): Filter {
  return { topic: topic ?? null, reason: reason ?? null, state: state ?? null };
}

const fits = ($: (param: keyof Filter) => string) => `
  (${$('topic')}::text is null or topic = ${$('topic')})
      and (${$('reason')}::text is null or reason = ${$('reason')})
  and (${$('state')}::text is null or state = ${$('state')})`;

const row = `id as "messageId", topic, partition, "offset"::float8 as "offset", reason, state, replays,
  coalesce(length(value), 0) as bytes, created_at as since, settled_at as "decidedAt"`;

const selectGroups = unnamedStatementOf<Filter>(
  ($) => `
  select topic, reason, count(*)::int as items, min(created_at) as "firstAt", max(created_at) as "lastAt"
  from dead_letters where ${fits($)}
  group by topic, reason order by items desc, topic, reason collate "C" limit 1000`,
);

const countKept = `
  select count(*)::int as items from (select from dead_letters where state = 'kept' limit $1) k`;

/** Selects a page of messages. The cursor is the id of the last message of the previous page, or null. */
const selectMessages = unnamedStatementOf<Filter & { limit: number; cursor: string | null }>(
  ($) => `
  select ${row} from dead_letters
  where ${fits($)} and (${$('cursor')}::uuid is null or id < ${$('cursor')}) order by id desc limit ${$('limit')}`,
);

/** Selects a message. Parameters: $1 message, $2 maximum number of bytes of the value. */
const selectMessage = `select ${row}, key, substring(value for $2::int) as value from dead_letters where id = $1`;

const decided = (state: string) => `state = ${state}, settled_at = case when ${state} = 'discarded' then now() end`;

/** Stores a decision about one message. Parameters: $1 message, $2 state. */
const decideOne = `update dead_letters set ${decided('$2::text')} where id = $1 and state = 'kept'`;

const decideMany = unnamedStatementOf<Filter & { to: string }>(
  ($) => `update dead_letters set ${decided(`${$('to')}::text`)} where ${fits($)}`,
);
