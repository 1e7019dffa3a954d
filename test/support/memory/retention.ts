import type { KeptKind, Retention } from '../../../services/trigger/ports/retention-store.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { atOnce } from './at-once.ts';
import { campaignsUsing } from './audience-store.ts';
import { spentOf } from './budgets.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { FeedRow } from './feed-tables.ts';
import { isDryFeed } from './run-feeds.ts';

const lostAfterMs = 900_000;
const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** Offset of the first Monday, because 1970 began on a Thursday. */
const firstMondayMs = 4 * dayMs;

export function createMemoryRetention({ database }: { database: MemoryDatabase }): Retention {
  const { runs, feeds, batches, steps, failures, clock } = database;
  const made = new Set<number>();

  function endedBefore(feed: FeedRow, days: number): boolean {
    const endedAt = runs.get(feed.runId)?.endedAt?.getTime();
    return endedAt !== undefined && endedAt <= clock.nowMs() - days * dayMs;
  }

  /** Returns the feeds of weeks that are to be dropped, by week. */
  function weeksToDrop(days: number): FeedRow[][] {
    const byWeek = Map.groupBy(feeds.values(), (feed) => weekOf(createdAtMs(feed.feedId)));
    return [...byWeek]
      .filter(([week]) => firstMondayMs + (week + 1) * weekMs <= clock.nowMs() - days * dayMs)
      .map(([, ofWeek]) => ofWeek)
      .filter((ofWeek) => ofWeek.every((feed) => endedBefore(feed, days)));
  }

  function drop(kind: KeptKind, ofWeek: readonly FeedRow[]): boolean {
    const gone = new Set(ofWeek.map((feed) => feed.feedId));
    const isGone = (row: { feedId: string }) => gone.has(row.feedId);
    if (kind === 'users') return deleteFrom(batches, isGone) > 0;
    if (kind === 'effects') return deleteFrom(database.effects, isGone) > 0;
    // The store in memory has no receipts.
    if (kind === 'receipts') return false;
    if (kind === 'steps') {
      if ([...batches.values()].some(isGone)) return false;
      const dropped = deleteFrom(steps, isGone) > 0;
      for (const table of [database.agenda, database.holds, database.stepCauses, database.stepAttempts])
        deleteFrom(table, isGone);
      return dropped;
    }
    for (const { feedId } of ofWeek) database.retryUsers.delete(feedId);
    const kept = failures.filter((row) => !isGone(row));
    const dropped = kept.length < failures.length;
    failures.splice(0, failures.length, ...kept);
    for (const feed of ofWeek) {
      const run = runs.get(feed.runId);
      if (run) run.failuresKept = false;
    }
    return dropped;
  }

  return {
    makeAhead: () =>
      atOnce(() => {
        const week = weekOf(clock.nowMs());
        const missing = [0, 1, 2, 3].filter((ahead) => !made.has(week + ahead));
        for (const ahead of missing) made.add(week + ahead);
        return { weeks: missing.length, heldUp: 0 };
      }),
    effectDays: () => atOnce(() => Math.max(0, ...database.caps.map((cap) => cap.days)) + 1),
    dropWeeks: (kind, days) =>
      atOnce(() => ({ weeks: weeksToDrop(days).filter((ofWeek) => drop(kind, ofWeek)).length, heldUp: 0 })),
    closeReceipts: () => Promise.resolve(0),
    countReceipts: () => Promise.resolve({ runs: 0, failed: [] }),
    // The store in memory has a partition for every week, so no row is a stray.
    deleteStrays: () => Promise.resolve(0),
    deleteDryRows: (days, limit) =>
      atOnce(() => {
        const dry = [...feeds.values()].filter((feed) => isDryFeed(database, feed) && endedBefore(feed, days));
        const isGone = (row: { feedId: string }) => dry.some(({ feedId }) => feedId === row.feedId);
        let gone = failures.filter(isGone).length;
        failures.splice(0, failures.length, ...failures.filter((row) => !isGone(row)));
        for (const table of [batches, steps]) gone += deleteFrom(table, isGone);
        for (const { runId } of dry) Object.assign(runs.get(runId) ?? {}, { failuresKept: false });
        return Math.min(gone, limit);
      }),
    deleteRuns: (days, limit) =>
      atOnce(() => {
        const old = [...runs.values()]
          .filter((run) => run.endedAt !== null && run.endedAt.getTime() <= clock.nowMs() - days * dayMs)
          .slice(0, limit);
        for (const run of old) {
          runs.delete(run.id);
          database.runEvents.splice(0, Infinity, ...database.runEvents.filter(({ runId }) => runId !== run.id));
          database.runPaces.delete(run.id);
          deleteFrom(database.runPoints, ({ runId }) => runId === run.id);
          deleteFrom(database.runTroubles, ({ runId }) => runId === run.id);
          for (const feed of [...feeds.values()].filter((row) => row.runId === run.id)) {
            const budget = database.budgets.get(`${run.campaignId}/${feed.country}`);
            if (budget) budget.pastUnits += spentOf(database, feed);
            deleteFrom(database.reservations, (row) => row.feedId === feed.feedId);
            feeds.delete(feed.feedId);
            for (const key of [...database.totals.keys()])
              if (key.startsWith(`${feed.feedId}/`)) database.totals.delete(key);
            deleteFrom(database.failureTotals, (row) => row.feedId === feed.feedId);
          }
        }
        return old.length;
      }),
    deleteAudiences: (days, limit) =>
      atOnce(() => {
        const old = [...database.audiences.values()]
          .filter(
            ({ createdAt, state }) => state !== 'receiving' && createdAt.getTime() <= clock.nowMs() - days * dayMs,
          )
          .filter(({ id }) => campaignsUsing(database, publicId('audience', id)).length === 0)
          .slice(0, limit);
        for (const { id } of old) database.audiences.delete(id);
        return old.length;
      }),
    deleteSuppressionUploads: () => Promise.resolve(0),
    deleteReplacedPeople: () => Promise.resolve(0),
    failLostUploads: () =>
      atOnce(() => {
        const lost = [...database.audiences.values()].filter(
          ({ state, receivedAtMs }) => state === 'receiving' && receivedAtMs < clock.nowMs() - lostAfterMs,
        );
        const cause = 'the upload made no progress for fifteen minutes';
        for (const row of lost) Object.assign(row, { state: 'failed', cause });
        return lost.length;
      }),
    // In memory, dead letters have no time, and rows that only the API writes do not exist.
    deleteDeadLetters: () => Promise.resolve(0),
    deleteAnswers: () => Promise.resolve(0),
    deleteChanges: () => Promise.resolve(0),
    deleteSessions: () => Promise.resolve(0),
  };
}

function weekOf(ms: number): number {
  return Math.floor((ms - firstMondayMs) / weekMs);
}

/** Returns the time in a feed id, because a uuid v7 begins with its time. */
function createdAtMs(feedId: string): number {
  return Number.parseInt(feedId.replaceAll('-', '').slice(0, 12), 16);
}

function deleteFrom<Row>(table: Map<string, Row>, isGone: (row: Row) => boolean): number {
  const gone = [...table].filter(([, row]) => isGone(row)).map(([key]) => key);
  for (const key of gone) table.delete(key);
  return gone.length;
}
