import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import { textOf } from '../../../../shared/domain/ids/page-users.ts';
import { reasons } from '../../../../shared/domain/step/reasons.ts';
import { zonesOfDays } from '../../../../shared/domain/step/caps.ts';
import { usersTextOf } from '../../../../shared/domain/step/users-text.ts';
import type {
  FedPages,
  FeedLoad,
  FeedStore,
  FlowCounts,
  ListedFeeds,
  OwnedFeed,
  SkippedUsers,
} from '../../ports/feed-store.ts';
import {
  audienceColumnsOf,
  audienceOf,
  type AudienceColumns,
} from '../../../../shared/postgres/ledger/feed-audience.ts';
import { plainArray, textArray } from '../../../../shared/postgres/connection/array-literals.ts';
import * as statements from './feed-statements.ts';
import { invalidUserOf } from '../invalid-user.ts';
import { sinkPages } from './sink-statement.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';

/** Row of a claimed feed. Postgres returns the bigint token as text. */
type OwnedFeedRow = Omit<OwnedFeed, 'token' | 'audience'> & AudienceColumns & { token: string };

type LoadRow = Omit<FeedLoad, 'steps'> & { lines: (FlowCounts & { step: number })[] };

export function createFeedStore({ pool }: { pool: Pool }): FeedStore {
  return {
    claim: async (owner, leaseMs, limit, scope, { first, withoutDry = false } = {}) => {
      const direction = first ? -1 : 1;
      const claiming = { owner, leaseMs, limit, withStalled: scope === 'all', withoutDry, direction } as const;
      const { rows } = await pool.query<OwnedFeedRow>(statements.claim.with(claiming));
      return rows.map(ownedFeedOf);
    },
    renew: async (owner, leaseMs, feeds) => {
      const { rows } = await pool.query<{ feedId: string }>({
        name: 'renew-feeds',
        text: statements.renew,
        values: [owner, leaseMs, ...tokensOf(feeds)],
      });
      return rows.map((row) => row.feedId);
    },
    release: async (owner, feeds) => {
      await pool.query({ name: 'release-feeds', text: statements.release, values: [owner, ...tokensOf(feeds)] });
    },
    writePages: (pages) =>
      pages.invalidUsers.length + heldOutIn(pages).length === 0
        ? writeBatches(pool, pages)
        : writeWithOthers(pool, pages),
    stall: async (feedId, token, cause, retryInMs) => {
      await pool.query({ name: 'stall-feed', text: statements.stall, values: [feedId, token, cause, retryInMs] });
    },
    show: async (feedId, token, cause) => {
      await pool.query({ name: 'show-feed', text: statements.show, values: [feedId, token, cause] });
    },
    renewAudience: async (feedId, token, audience) => {
      await pool.query(statements.renewAudience.with({ feedId, token, ...audienceColumnsOf(audience) }));
    },
    retriedUsers: async (feedId, after, limit) => {
      const values = [feedId, after, limit + 1];
      const text = statements.retriedUsers;
      const { rows } = await pool.query<{ user_id: string }>({ name: 'retried-users', text, values });
      return { users: rows.slice(0, limit).map((row) => row.user_id), isLast: rows.length <= limit };
    },
    takePace: async (requests) => {
      const values = [
        plainArray(requests.map(({ runId }) => runId)),
        plainArray(requests.map(({ batches }) => batches)),
      ];
      const { rows } = await pool.query<{ runId: string; batches: number }>({
        name: 'take-pace',
        text: statements.takePace,
        values,
      });
      return new Map(rows.map(({ runId, batches }) => [runId, batches]));
    },
    loads: async (feedIds) => {
      if (feedIds.length === 0) return [];
      const { rows } = await pool.query<LoadRow>(statements.loads.with({ feeds: plainArray(feedIds) }));
      return rows.map(loadOf);
    },
    listFeeds: async (since, reachMs) => {
      const { rows } = await pool.query<ListedFeeds>(statements.listFeeds.with({ since, reachMs }));
      const [listed] = rows;
      if (!listed) throw new Error('a listing of feeds came back without a row');
      return listed;
    },
  };
}

/** Writes pages with users that are in no batch: held-out users, or users with invalid ids. */
async function writeWithOthers(pool: Pool, pages: FedPages): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    if (!(await writeBatches(client, pages))) return false;
    const heldOut = heldOutIn(pages);
    if (heldOut.length > 0) await client.query(statements.insertHeldOut.with(heldOutRows(pages.feedId, heldOut)));
    if (pages.invalidUsers.length === 0) return true;
    await client.query({
      name: 'fail-invalid-users',
      text: statements.failInvalidUsers,
      values: [
        pages.feedId,
        textArray(pages.invalidUsers.map(({ user }) => user)),
        textArray(pages.invalidUsers.map(({ rule }) => rule)),
        reasons.invalidUserId,
      ],
    });
    return true;
  });
}

/**
 * Writes batches. Users are sent as one text with line breaks, which no user id contains. This is ten times as fast as
 * an array.
 */
async function writeBatches(connection: Pool | PoolClient, pages: FedPages): Promise<boolean> {
  const { batches, skipped: { excluded, heldOut } = nobodySkipped } = pages;
  const { feedId, token, complete, staysStalled } = pages;
  const written = {
    feedId,
    token,
    firstNo: batches.at(0)?.batchNo ?? null,
    batchNos: plainArray(batches.map((batch) => batch.batchNo)),
    sizes: plainArray(batches.map((batch) => batch.users.length)),
    firstUsers: batches.map((batch) => batch.users.at(0)).join('\n'),
    lastUsers: batches.map((batch) => batch.users.at(-1)).join('\n'),
    users: batches.map((batch) => textOf(batch.users)).join('\n'),
    // The cursor is encoded as JSON, because it may be an id that Postgres cannot store as text.
    cursor: pages.cursor === null ? null : JSON.stringify(pages.cursor),
    batches: batches.length,
    fedUsers: batches.reduce((sum, batch) => sum + batch.users.length, 0) + heldOut,
    heldOut,
    excluded,
    complete,
    staysStalled,
  };
  const { sink } = pages;
  const statement = sink
    ? sinkPages.with({ ...written, shared: sink.shared, zones: textArray(zonesOfDays(sink.country)) })
    : statements.writePages.with(written);
  return (await connection.query(statement)).rowCount === 1;
}

/** Returns the ids of held-out users to store. For a dry run, they are only counted. */
function heldOutIn({ skipped, sink }: FedPages): readonly string[] {
  return sink ? [] : (skipped?.heldOutIds ?? []);
}

/** Number of held-out users per row. It equals the number that one page of the list displays. */
const heldOutAtOnce = 1000;

/** Returns rows of held-out users. Held-out users with invalid ids are included in escaped form. */
function heldOutRows(feedId: string, ids: readonly string[]) {
  const printable = ids.map((id) => invalidUserOf(id)?.user ?? id);
  const parts = Array.from({ length: Math.ceil(printable.length / heldOutAtOnce) }, (_, part) =>
    printable.slice(part * heldOutAtOnce, (part + 1) * heldOutAtOnce),
  );
  return {
    feedId,
    counts: plainArray(parts.map((part) => part.length)),
    users: parts.map(usersTextOf).join('\n'),
  };
}

const nobodySkipped: SkippedUsers = { excluded: 0, heldOut: 0 };

function ownedFeedOf({ segment, snapshot, estimate, audience, ...row }: OwnedFeedRow): OwnedFeed {
  const made = audienceOf({ segment, snapshot, estimate, audience });
  return { ...row, audience: made, cursor: cursorOf(row.cursor), token: Number(row.token) };
}

function loadOf({ lines, ...row }: LoadRow): FeedLoad {
  const steps = row.chain.map((_, index) => {
    const { done, survived, created, waiting } = lines.find(({ step }) => step === index + 1) ?? noFlow;
    return { done, survived, created, waiting };
  });
  return { ...row, steps };
}

const noFlow: FlowCounts = { done: 0, survived: 0, created: 0, waiting: 0 };

function cursorOf(stored: string | null): string | null {
  return stored === null ? null : z.string().parse(JSON.parse(stored));
}

function tokensOf(feeds: readonly { feedId: string; token: number }[]): string[] {
  return [plainArray(feeds.map(({ feedId }) => feedId)), plainArray(feeds.map(({ token }) => token))];
}
