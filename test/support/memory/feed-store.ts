import { idsOf } from '../../../shared/domain/ids/page-users.ts';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import { usualBatchUsers } from '../../../shared/domain/step/batch.ts';
import { onlySegment } from '../../../shared/contracts/runs/feed-audience.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import type { FedPages, FeedLoad, FeedStore, OwnedFeed } from '../../../services/trigger/ports/feed-store.ts';
import { splitOf, wholeWeight } from '../../../shared/contracts/campaigns/variants.ts';
import { atOnce } from './at-once.ts';
import { batchKey, type MemoryDatabase } from './memory-database.ts';
import type { FeedRow } from './feed-tables.ts';
import { isDryFeed } from './run-feeds.ts';
import type { RunRow } from './run-tables.ts';
import { addRunEvent } from './run-events.ts';
import { definitionOf, isRemainingFeed, settingsOf } from './run-definitions.ts';
import { flowOf } from './run-tallies.ts';
import { sinkPages } from './sink-pages.ts';
import { addToFailureTotals, addToTotals } from './totals.ts';

export function createMemoryFeedStore({ database }: { database: MemoryDatabase }): FeedStore {
  const { feeds, clock } = database;

  /** Returns the feed under this token, or undefined if another trigger has taken it. */
  function held(feedId: string, token: number): FeedRow | undefined {
    const row = feeds.get(feedId);
    return row?.token === token ? row : undefined;
  }

  return {
    claim: (owner, leaseMs, limit, scope, { first, withoutDry = false } = {}) =>
      atOnce(() =>
        [...feeds.values()]
          .filter((row) => isFeeding(database, row) && isFree(row, clock.nowMs()) && !row.complete)
          .filter((row) => row.fedUsers - row.heldOutUsers < (canaryUsersOf(database, row) ?? Infinity))
          .filter((row) => row.variant !== null || isDryFeed(database, row) || !hasVariants(database, row))
          .filter((row) => row.stalledUntilMs === null || row.stalledUntilMs <= clock.nowMs())
          .filter((row) => scope === 'all' || row.stalls === 0)
          .filter((row) => !withoutDry || !isDryFeed(database, row))
          .sort(
            (a, b) =>
              Number(isDryFeed(database, a)) - Number(isDryFeed(database, b)) ||
              Number(a.stalls > 0) - Number(b.stalls > 0) ||
              (startOf(database, a) - startOf(database, b)) * (first === 'newest' ? -1 : 1) ||
              (a.feedId < b.feedId ? -1 : 1),
          )
          .slice(0, limit)
          .map((row) => {
            row.owner = owner;
            row.token++;
            row.leaseUntilMs = clock.nowMs() + leaseMs;
            return ownedFeed(database, row);
          }),
      ),
    renew: (owner, leaseMs, ours) =>
      atOnce(() =>
        ours.flatMap(({ feedId, token }) => {
          const row = held(feedId, token);
          if (row?.owner !== owner || !isFeeding(database, row)) return [];
          row.leaseUntilMs = clock.nowMs() + leaseMs;
          return [feedId];
        }),
      ),
    release: (owner, ours) =>
      atOnce(() => {
        for (const { feedId, token } of ours) {
          const row = held(feedId, token);
          if (row?.owner === owner) row.owner = null;
        }
      }),
    writePages: (pages) =>
      atOnce(() => {
        const row = held(pages.feedId, pages.token);
        const first = pages.batches[0]?.batchNo ?? row?.nextBatchNo;
        if (row?.nextBatchNo !== first || !row) return false;
        const isDry = isDryFeed(database, row);
        if (pages.sink && !isDry) return false;
        if (isDry && !pages.sink && pages.batches.length > 0) throw new Error('feeds_dry_batches_have_ended');
        requireWithinBound(row, pages);
        write(database, row, pages);
        if (pages.sink) sinkPages(database, row, pages);
        return true;
      }),
    stall: (feedId, token, cause, retryInMs) =>
      atOnce(() => {
        const row = held(feedId, token);
        if (!row) return;
        row.stalled = cause;
        row.stalledUntilMs = clock.nowMs() + retryInMs;
        row.stalls++;
      }),
    show: (feedId, token, cause) =>
      atOnce(() => {
        const row = held(feedId, token);
        if (row) row.stalled = cause;
      }),
    renewAudience: (feedId, token, audience) =>
      atOnce(() => {
        const row = held(feedId, token);
        if (!row) return;
        row.audience = audience;
        const alone = onlySegment(audience);
        const { country } = row;
        const source = alone ? { segment: alone.segment, snapshot: alone.snapshot } : { sources: audience.include };
        addRunEvent(database, row.runId, 'snapshot-renewed', { country, ...source });
      }),
    retriedUsers: (feedId, after, limit) =>
      atOnce(() => {
        const all = database.retryUsers.get(feedId) ?? [];
        const behind = all.filter((user) => after === null || compareUserIds(user, after) > 0);
        return { users: behind.slice(0, limit), isLast: behind.length <= limit };
      }),
    takePace: (requested) =>
      atOnce(
        () =>
          new Map(
            requested.flatMap(({ runId, batches }): [string, number][] => {
              const run = database.runs.get(runId);
              const allowed = run ? paceAllows(database, run) : null;
              if (allowed === null) return [];
              const size = batchUsersOf(database, runId);
              const taken = Math.min(batches, Math.floor(allowed / size));
              database.runPaces.set(runId, { allowed: allowed - taken * size, atMs: clock.nowMs() });
              return [[runId, taken]];
            }),
          ),
      ),
    loads: (feedIds) =>
      atOnce(() =>
        feedIds
          .flatMap((feedId) => feeds.get(feedId) ?? [])
          .filter((row) => runOf(database, row).state === 'running')
          .map((row) => loadOf(database, row)),
      ),
    listFeeds: (since, reachMs) =>
      atOnce(() => ({
        until: String(clock.nowMs()),
        feedIds: [...feeds.values()]
          .filter((row) => runOf(database, row).state === 'running')
          .filter((row) => since === null || runOf(database, row).stateSince.getTime() >= Number(since) - reachMs)
          .map(({ feedId }) => feedId),
      })),
  };
}

/** Returns the batch size of a run's feeds. */
function batchUsersOf({ feeds }: MemoryDatabase, runId: string): number {
  return [...feeds.values()].find((feed) => feed.runId === runId)?.batchUsers ?? usualBatchUsers;
}

/** Returns the users that the pace allows; null if the run has no pace. */
function paceAllows(database: MemoryDatabase, run: RunRow): number | null {
  const pace = settingsOf(database, run).paceUsersPerSecond;
  if (pace === null) return null;
  const row = database.runPaces.get(run.id);
  const size = batchUsersOf(database, run.id);
  if (!row) return size;
  const refilled = (pace * Math.max(0, database.clock.nowMs() - row.atMs)) / 1000;
  return Math.min(Math.max(size, pace), row.allowed + refilled);
}

function loadOf(database: MemoryDatabase, row: FeedRow): FeedLoad {
  const { feedId, runId, country, complete } = row;
  const run = runOf(database, row);
  const { chain } = definitionOf(database, run);
  const isDry = isDryFeed(database, row);
  const isRemaining = isRemainingFeed(database, run, row);
  return {
    feedId,
    runId,
    country,
    paceAllows: paceAllows(database, run),
    batchUsers: row.batchUsers,
    chain: isDry ? [] : chain.map(({ action }) => action),
    checks: isDry ? [] : chain.map(({ check }) => check?.type ?? null),
    priority: settingsOf(database, run).priority,
    share: row.variant === null || isRemaining ? 1 : (splitOf(chain)[row.variant - 1]?.weight ?? 0) / wholeWeight,
    complete: complete || (run.canary === 'serving' && isRemaining),
    held: [...database.holds.values()].some((hold) => hold.feedId === feedId && hold.kind === 'fault'),
    quietSteps: [...database.holds.values()].flatMap((hold) =>
      hold.feedId === feedId && (hold.untilMs ?? 0) > database.clock.nowMs() ? [hold.step] : [],
    ),
    fedBatches: row.nextBatchNo - 1,
    fromStep: row.fromStep,
    steps: isDry ? [] : flowOf(database, feedId, chain.length),
  };
}

/** Corresponds to the constraint of the table in Postgres. */
function requireWithinBound({ fedUsers, usersAtMost }: FeedRow, { batches, skipped }: FedPages): void {
  const more = batches.reduce((sum, { users }) => sum + users.length, 0) + (skipped?.heldOut ?? 0);
  if (usersAtMost !== null && fedUsers + more > usersAtMost) throw new Error('feeds_within_approval');
}

function write(database: MemoryDatabase, row: FeedRow, pages: FedPages): void {
  for (const { batchNo, users } of pages.batches) {
    const batch = { feedId: row.feedId, batchNo, users: [...idsOf(users)], parent: null, fromStep: row.fromStep };
    database.batches.set(batchKey(row.feedId, batchNo), batch);
    row.fedUsers += users.length;
  }
  const { excluded, heldOut } = pages.skipped ?? { excluded: 0, heldOut: 0 };
  row.fedUsers += heldOut;
  row.heldOutUsers += heldOut;
  row.excludedUsers += excluded;
  row.cursor = pages.cursor;
  row.nextBatchNo += pages.batches.length;
  row.complete = pages.complete;
  if (!pages.staysStalled) Object.assign(row, { stalled: null, stalledUntilMs: null, stalls: 0 });
  for (const user of pages.invalidUsers) failInvalid(database, row, user);
}

function failInvalid(database: MemoryDatabase, row: FeedRow, { user, rule }: FedPages['invalidUsers'][number]): void {
  const key = { feedId: row.feedId, batchNo: 0, step: 1, user };
  const isKnown = database.failures.some((f) => f.feedId === row.feedId && f.batchNo === 0 && f.user === user);
  if (isKnown) return;
  const why = { outcome: 'failed', reason: reasons.invalidUserId, detail: rule } as const;
  database.failures.push({ ...key, ...why, attempts: 0, failedAt: database.clock.now() });
  addToTotals(database, row.feedId, 1, { failed: 1 });
  addToFailureTotals(database, row.feedId, 1, { user, ...why });
  row.fedUsers++;
}

function ownedFeed(database: MemoryDatabase, row: FeedRow): OwnedFeed {
  const run = runOf(database, row);
  const {
    feedId,
    country,
    audience,
    fedUsers,
    excludedUsers,
    usersAtMost,
    heldOutUsers,
    stalls,
    cursor,
    nextBatchNo,
    batchUsers,
    token,
  } = row;
  const deadlineInMs = run.deadlineAtMs - database.clock.nowMs();
  const start = startingWith(database, run, row.fromStep);
  const canaryUsers = canaryUsersOf(database, row);
  const isDry = isDryFeed(database, row);
  const place = {
    isDry,
    fedUsers,
    heldOutUsers,
    excludedUsers,
    usersAtMost,
    canaryUsers,
    stalls,
    cursor,
    nextBatchNo,
    batchUsers,
  };
  return { feedId, runId: run.id, country, audience, ...place, token, deadlineInMs, ...start };
}

/** Returns the number of canary users; null if all users may be fed. */
function canaryUsersOf(database: MemoryDatabase, row: FeedRow): number | null {
  return runOf(database, row).canary === 'serving' ? row.canaryUsers : null;
}

function startingWith(database: MemoryDatabase, run: RunRow, fromStep: number) {
  const { chain } = definitionOf(database, run);
  const { priority } = settingsOf(database, run);
  const first = chain[fromStep - 1];
  if (!first) throw new Error(`the chain of run ${run.id} has no step ${fromStep}`);
  return { priority, fromStep, hasStoredUsers: run.parentId !== null, firstAction: first.action };
}

function isFeeding(database: MemoryDatabase, row: FeedRow): boolean {
  const run = runOf(database, row);
  return run.state === 'running' && run.deadlineAtMs > database.clock.nowMs();
}

function hasVariants(database: MemoryDatabase, row: FeedRow): boolean {
  return splitOf(definitionOf(database, runOf(database, row)).chain).length > 0;
}

function isFree(row: FeedRow, nowMs: number): boolean {
  return row.owner === null || row.leaseUntilMs <= nowMs;
}

function startOf(database: MemoryDatabase, row: FeedRow): number {
  return runOf(database, row).scheduledFor.getTime();
}

function runOf({ runs }: MemoryDatabase, { feedId, runId }: FeedRow): RunRow {
  const row = runs.get(runId);
  if (!row) throw new Error(`feed ${feedId} belongs to no run`);
  return row;
}
