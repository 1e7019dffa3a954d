import type { Retries, RetryGroup } from '../../../services/api/runs/retries.port.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { FeedRow } from './feed-tables.ts';
import type { RetryRequest, RunRow } from './run-tables.ts';
import { definitionOf } from './run-definitions.ts';
import { addRunEvent } from './run-events.ts';
import { standingFailures, type StandingFailure } from './standing-failures.ts';
import { totalsOf } from './totals.ts';

export function createMemoryRetries({ database }: { database: MemoryDatabase }): Retries {
  const { runs, clock } = database;
  return {
    groups: (of, filter) =>
      atOnce(() => {
        const run = runs.get(of);
        if (!run) return [];
        const request = { ...filter, of: run.parentId === null ? null : of };
        return groupsOf(standingFailures(database, run.parentId ?? of, request, clock.now()));
      }),
    create: ({ runId, parentRunId: of, filter, deadlineSeconds }) =>
      atOnce(() => {
        const run = runs.get(of);
        const root = run && runs.get(run.parentId ?? run.id);
        if (!run?.endedAt || !root?.endedAt) return { kind: 'not-ended' };
        const running = childrenOf(database, root.id).find((child) => child.endedAt === null && child.id !== runId);
        if (running) return { kind: 'running', runId: running.id };
        if (!runs.has(runId))
          insertRetry(database, root, runId, { ...filter, of: of === root.id ? null : of }, deadlineSeconds);
        return { kind: 'created' };
      }),
    sums: (parentRunId) => atOnce(() => childrenOf(database, parentRunId).map((child) => sumsOf(database, child))),
  };
}

function insertRetry(
  database: MemoryDatabase,
  { campaignId, revision, ...root }: RunRow,
  runId: string,
  retry: RetryRequest,
  deadlineSeconds: number | null,
): void {
  const nowMs = database.clock.nowMs();
  const lastMs = Math.max(
    ...childrenOf(database, root.id).map(({ scheduledFor }) => scheduledFor.getTime() + 1),
    nowMs,
  );
  const seconds = deadlineSeconds ?? definitionOf(database, { campaignId, revision }).deadlineSeconds;
  database.runs.set(runId, {
    id: runId,
    campaignId,
    revision,
    parentId: root.id,
    retry,
    createdAt: database.clock.now(),
    scheduledFor: new Date(lastMs),
    deadlineAtMs: nowMs + seconds * 1000,
    state: 'preparing',
    stateReason: null,
    startedAt: null,
    endedAt: null,
    inFlight: 0,
    waiting: 0,
    waitingCause: null,
    waitingSince: null,
    failuresKept: true,
    stateSince: database.clock.now(),
    settings: {},
    canary: null,
    failureBaseline: new Map(),
  });
  addRunEvent(database, runId, 'created');
}

function groupsOf(standing: readonly StandingFailure[]): RetryGroup[] {
  const groups = Map.groupBy(standing, ({ step, country, reason }) => JSON.stringify([step, country, reason]));
  return [...groups.values()]
    .flatMap((group) => (group[0] ? [{ ...group[0], users: group.length }] : []))
    .map(({ step, country, reason, users }) => ({ step, country, reason, users }))
    .sort(
      (a, b) => a.step - b.step || compare(a.country, b.country) || b.users - a.users || compare(a.reason, b.reason),
    );
}

function sumsOf(database: MemoryDatabase, run: RunRow) {
  const feeds = feedsOf(database, run.id);
  const lines = feeds.flatMap(({ feedId }) => totalsOf(database, feedId));
  const last = definitionOf(database, run).chain.length;
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    runId: run.id,
    retried: sum(feeds.map(({ fedUsers }) => fedUsers)),
    recovered: sum(lines.filter(({ step }) => step === last).map(({ succeeded }) => succeeded)),
    failedAgain: sum(lines.map(({ failed }) => failed)),
  };
}

function childrenOf({ runs }: MemoryDatabase, rootId: string): RunRow[] {
  return [...runs.values()].filter(({ parentId }) => parentId === rootId);
}

function feedsOf({ feeds }: MemoryDatabase, runId: string): FeedRow[] {
  return [...feeds.values()].filter((feed) => feed.runId === runId);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
