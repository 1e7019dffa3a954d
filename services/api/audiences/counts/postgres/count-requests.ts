import type { CampaignScope } from '../../../../../shared/domain/scopes.ts';
import { isSeen, seenParamsOf, type SeenParams } from '../../../frame/postgres/seen-campaigns.ts';
import type { Pool, PoolClient } from 'pg';
import {
  openCountsAtMost,
  type CountQuestion,
  type CountState,
  type StoredCountry,
} from '../../../../../shared/contracts/campaigns/exact-counts.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { inTransaction } from '../../../../../shared/postgres/connection/transaction.ts';
import type { Page } from '../../../frame/page.port.ts';
import { pageOf, requireIdCursor } from '../../../frame/postgres/pages.ts';

/** Number of days for which a stored count is returned for the same audience. Each new request deletes older counts. */
const keptDays = 30;
const droppedAtOnce = 100;

export interface CountRecord {
  countId: string;
  state: CountState;
  cause: string | null;
  question: CountQuestion;
  countries: StoredCountry[];
  /** Owner of the caller's key, or the key's name if it has no owner. */
  requestedBy: string;
  requestedAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}

export interface NewCount {
  countId: string;
  question: CountQuestion;
  key: string;
  /** True if the users are to be counted again, although a count is stored. */
  isForced: boolean;
  by: { key: string; account: string };
}

/**
 * Result of a request.
 * - `begun`: a new count was stored as open.
 * - `known`: the same count is open or done.
 * - `too-many`: the account has reached its limit of open counts.
 */
export type CountOutcome = { kind: 'begun' | 'known'; record: CountRecord } | { kind: 'too-many' };

export type CountRequests = ReturnType<typeof createCountRequests>;

/** Creates the store of requested counts (docs/decisions/0101-saved-audiences-counts-and-use.md). */
export function createCountRequests({ pool }: { pool: Pool }) {
  async function get(connection: Pool | PoolClient, countId: string): Promise<CountRecord | undefined> {
    return (await connection.query<CountRecord>(selectOne, [countId])).rows[0];
  }

  return {
    get: (countId: string) => get(pool, countId),

    /** Returns the newest finished count with the key, or undefined. */
    done: async (key: string): Promise<CountRecord | undefined> => {
      const { rows } = await pool.query<CountRecord>(selectByKey.with({ key, isDoneOnly: true, isForced: false }));
      return rows[0];
    },

    request: ({ countId, question, key, isForced, by }: NewCount): Promise<CountOutcome> =>
      inTransaction(pool, async (client): Promise<CountOutcome> => {
        // Serializes the requests of an account, so that the second of two concurrent requests finds the count of the
        // first.
        await client.query('select from api_keys where id = $1 for no key update', [by.account]);
        const { rows } = await client.query<CountRecord>(selectByKey.with({ key, isDoneOnly: false, isForced }));
        if (rows[0]) return { kind: 'known', record: rows[0] };
        const { rows: open } = await client.query<{ open: number }>(countOpen, [by.account]);
        if ((open[0]?.open ?? 0) >= openCountsAtMost) return { kind: 'too-many' };
        await client.query(dropOld);
        await client.query(insertOne.with({ countId, question, key, account: by.account, requestedBy: by.key }));
        const record = await get(client, countId);
        if (!record) throw new Error(`the count ${countId} is gone right after it was written`);
        return { kind: 'begun', record };
      }),

    list: async (limit: number, cursor: string | null, within?: CampaignScope): Promise<Page<CountRecord>> => {
      requireIdCursor(cursor);
      const wanted = { limit: limit + 1, before: cursor, ...seenParamsOf(within) };
      const { rows } = await pool.query<CountRecord>(selectPage.with(wanted));
      return pageOf(rows, limit, ({ countId }) => countId);
    },

    /** Cancels an open count. A finished count stays unchanged. */
    cancel: async (countId: string): Promise<CountRecord | undefined> => {
      await pool.query(cancelOne, [countId]);
      return await get(pool, countId);
    },
  };
}

const columns = `
  c.id as "countId", c.state, c.cause, c.request as question, c.countries, c.requested_at as "requestedAt",
  c.started_at as "startedAt", c.ended_at as "endedAt",
  (select coalesce(k.owner, k.name) from api_keys k where k.id = c.requested_by) as "requestedBy"`;

const selectOne = `select ${columns} from audience_counts c where c.id = $1`;

const selectByKey = statementOf<{ key: string; isDoneOnly: boolean; isForced: boolean }>(
  'audience-count-by-key',
  ($) => `
  select ${columns} from audience_counts c
  where c.key = ${$('key')} and (
    (c.state = 'done' and not ${$('isForced')}::boolean and c.ended_at > now() - ${keptDays} * interval '1 day')
    or (c.state in ('waiting', 'running') and not ${$('isDoneOnly')}::boolean))
  order by c.id desc limit 1`,
);

const countOpen = `
  select count(*)::int as open from audience_counts where state in ('waiting', 'running') and account = $1`;

const dropOld = `
  delete from audience_counts where id in (
    select id from audience_counts where ended_at < now() - ${keptDays} * interval '1 day'
    order by ended_at limit ${droppedAtOnce} for update skip locked)`;

const insertOne = statementOf<{ countId: string; question: object; key: string; account: string; requestedBy: string }>(
  'insert-audience-count',
  ($) => `
  insert into audience_counts (id, account, requested_by, request, key, state)
  values (${$('countId')}, ${$('account')}, ${$('requestedBy')}, ${$('question')}::jsonb, ${$('key')}, 'waiting')`,
);

const selectPage = statementOf<SeenParams & { limit: number; before: string | null }>(
  'audience-counts',
  ($) => `
  select ${columns} from audience_counts c
  where (${$('before')}::uuid is null or c.id < ${$('before')}) and ${isSeen($, `c.request -> 'countries'`)}
  order by c.id desc limit ${$('limit')}`,
);

const cancelOne = `
  update audience_counts set state = 'cancelled', resolved = null, cursor = null, cause = null, owner = null,
    lease_until = null, ended_at = now()
  where id = $1 and state in ('waiting', 'running')`;
