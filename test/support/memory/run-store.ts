import { v7 as uuidv7 } from 'uuid';
import { usualBatchUsers } from '../../../shared/domain/step/batch.ts';
import { alternately } from '../../../services/trigger/keep/alternately.ts';
import { beforeLocalStart } from '../../../shared/contracts/runs/feed-audience.ts';
import type { RunEventKind } from '../../../shared/domain/run/run-events.ts';
import { statesBefore, type TerminalRunState } from '../../../shared/domain/run/run-states.ts';
import { nothingUnderWay } from '../../../shared/domain/run/under-way.ts';
import type { ListedRun, RunStore } from '../../../services/trigger/ports/run-store.ts';
import { atOnce } from './at-once.ts';
import { shortagesOf, stepUnitsOf } from './budgets.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { RunRow } from './run-tables.ts';
import { addRunEvent } from './run-events.ts';
import { underWayOf } from './under-way.ts';
import { beginRetry } from './begin-retry.ts';
import { canaryOf, definitionOf } from './run-definitions.ts';
import { feedsOf, unfed, waitsNot } from './run-feeds.ts';
import { noteEnd } from './run-history.ts';
import { tallyOf, recounted } from './run-tallies.ts';
import { waitingStepsOf } from './waiting-steps.ts';

export function createMemoryRunStore({ database }: { database: MemoryDatabase }): RunStore {
  const { runs, clock } = database;

  function inState(state: RunRow['state']): RunRow[] {
    return [...runs.values()]
      .filter((row) => row.state === state)
      .sort((a, b) => a.scheduledFor.getTime() - b.scheduledFor.getTime() || (a.id < b.id ? -1 : 1));
  }

  return {
    isAnyOpen: () => atOnce(() => [...runs.values()].some(({ endedAt }) => endedAt === null)),
    toPrepare: (limit, inHand) =>
      atOnce(() =>
        [...alternately(inState('preparing').filter((row) => !inHand.includes(row.id)))].slice(0, limit).map((row) => {
          const deadlineInMs = row.deadlineAtMs - clock.nowMs();
          return {
            runId: row.id,
            campaignId: row.campaignId,
            definition: definitionOf(database, row),
            canary: canaryOf(database, row),
            isRetry: row.parentId !== null,
            isDry: row.kind === 'dry-run',
            isJudged: false,
            deadlineInMs,
          };
        }),
      ),
    begin: (runId, feeds, batchUsers = usualBatchUsers) =>
      atOnce(() => {
        const row = runs.get(runId);
        if (row?.state !== 'preparing') return false;
        Object.assign(row, { state: 'running', stateSince: clock.now(), startedAt: clock.now(), ...waitsNot });
        addRunEvent(database, runId, 'begun', { feeds: feeds.length });
        const lastStartMs = Math.max(...feeds.map(({ startsAt }) => startsAt?.getTime() ?? -Infinity));
        row.deadlineAtMs += Math.max(0, lastStartMs - row.scheduledFor.getTime());
        if (feeds.some(({ canaryUsers }) => canaryUsers !== undefined)) row.canary = 'serving';
        for (const { startsAt, variant = null, usersAtMost = null, canaryUsers = null, ...feed } of feeds) {
          const id = uuidv7();
          const stepUnits = row.kind === 'dry-run' ? null : stepUnitsOf(database, row.campaignId, feed.country);
          const startsAtMs = startsAt?.getTime() ?? -Infinity;
          const later = startsAtMs > clock.nowMs() ? { stalled: beforeLocalStart, stalledUntilMs: startsAtMs } : {};
          database.feeds.set(id, {
            ...unfed,
            ...feed,
            ...later,
            variant,
            usersAtMost,
            canaryUsers,
            feedId: id,
            runId,
            batchUsers,
            stepUnits,
          });
        }
        return true;
      }),
    wait: (runId, cause) =>
      atOnce(() => {
        const row = runs.get(runId);
        if (row?.state === 'preparing') showWait(row, cause);
      }),
    beginRetry: (runId) => atOnce(() => beginRetry(database, runId)),
    tallies: (which) =>
      atOnce(() => {
        const isOver = ({ state, deadlineAtMs }: RunRow) => state === 'cancelling' || deadlineAtMs <= clock.nowMs();
        const isWanted = (row: RunRow) => (which === 'over' ? isOver(row) : which.includes(row.id));
        return sweptRuns()
          .filter(isWanted)
          .map((row) => tallyOf(database, row));
      }),
    listRuns: (since, reachMs) =>
      atOnce(() => ({
        until: String(clock.nowMs()),
        runs: sweptRuns()
          .filter(({ stateSince }) => since === null || stateSince.getTime() >= Number(since) - reachMs)
          .toSorted((a, b) => a.stateSince.getTime() - b.stateSince.getTime())
          .map((row) => listedOf(database, row)),
      })),
    waitingSteps: (runIds) => atOnce(() => runIds.flatMap((runId) => waitingStepsOf(database, runId))),
    refusals: () => atOnce(() => [...database.shardRefusals]),
    unpriced: () => atOnce(() => null),
    shortages: (runIds) => atOnce(() => runIds.flatMap((runId) => shortagesOf(database, runId))),
    show: (displayed) =>
      atOnce(() => {
        for (const { runId, inFlight, waiting, waitingCause } of displayed) {
          const row = runs.get(runId);
          if (row?.endedAt !== null) continue;
          Object.assign(row, { inFlight, waiting });
          showWait(row, waitingCause);
        }
      }),
    end: (runId, decide) =>
      atOnce(() => {
        fence(database, runId);
        const row = sweptRuns().find(({ id }) => id === runId);
        if (!row) return null;
        const counted = feedsOf(database, runId).map(({ feedId }) => ({ feedId, totals: recounted(database, feedId) }));
        const ending = decide(tallyOf(database, row), counted);
        return ending && finish(database, runId, ending.state, ending.reason) ? ending : null;
      }),
    finish: (runId, state, reason) =>
      atOnce(() => {
        fence(database, runId);
        return finish(database, runId, state, reason);
      }),
    pausing: () =>
      atOnce(() =>
        inState('pausing').map(({ id, stateSince }) => ({
          runId: id,
          forMs: clock.nowMs() - stateSince.getTime(),
          underWay: underWayOf(database, id) ?? nothingUnderWay,
        })),
      ),
    settlePause: (runId) => atOnce(() => move(runId, 'pausing', 'paused', { inFlight: 0 })),
    pauseFor: (runId, cause) =>
      atOnce(() => move(runId, 'running', 'pausing', { stateReason: cause }, 'auto-paused', { cause })),
    pauseForCanary: (runId, cause) =>
      atOnce(() => {
        if (runs.get(runId)?.canary !== 'serving') return false;
        const changes = { stateReason: cause, canary: 'waits' } as const;
        return move(runId, 'running', 'pausing', changes, 'auto-paused', { cause });
      }),
    endCanary: (runId, reported) =>
      atOnce(() => {
        const row = runs.get(runId);
        if (row?.state !== 'running' || row.canary !== 'serving') return false;
        row.canary = 'over';
        addRunEvent(database, runId, 'canary-passed', { report: reported });
        return true;
      }),
  };

  function move(
    runId: string,
    from: RunRow['state'],
    to: 'pausing' | 'paused',
    changes: Partial<RunRow>,
    kind: RunEventKind = 'paused',
    detail: Readonly<Record<string, unknown>> = {},
  ): boolean {
    const row = runs.get(runId);
    if (row?.state !== from) return false;
    Object.assign(row, { ...changes, state: to, stateSince: clock.now() });
    addRunEvent(database, runId, kind, detail);
    return true;
  }

  function showWait(row: RunRow, cause: string | null): void {
    if (row.waitingCause !== cause) row.waitingSince = cause === null ? null : clock.now();
    row.waitingCause = cause;
  }

  function sweptRuns(): RunRow[] {
    const byTime = (a: RunRow, b: RunRow) => a.scheduledFor.getTime() - b.scheduledFor.getTime();
    return [...inState('running'), ...inState('cancelling')].sort(byTime);
  }
}

function fence(database: MemoryDatabase, runId: string): void {
  for (const feed of feedsOf(database, runId)) {
    if (!feed.complete) Object.assign(feed, { token: feed.token + 1, owner: null });
  }
}

function finish(database: MemoryDatabase, runId: string, state: TerminalRunState, reason: string | null): boolean {
  const { runs, clock } = database;
  const row = runs.get(runId);
  if (!row || !statesBefore(state).includes(row.state)) return false;
  const over = { endedAt: clock.now(), stateSince: clock.now(), inFlight: 0, waiting: 0, ...waitsNot };
  Object.assign(row, { state, stateReason: reason, ...over });
  addRunEvent(database, runId, 'ended', { state, reason });
  database.runPaces.delete(runId);
  noteEnd(database, row);
  const ours = new Set(feedsOf(database, runId).map(({ feedId }) => feedId));
  for (const [key, { feedId }] of database.agenda) if (ours.has(feedId)) database.agenda.delete(key);
  for (const [key, { feedId }] of database.holds) if (ours.has(feedId)) database.holds.delete(key);
  for (const [key, { feedId }] of database.reservations) if (ours.has(feedId)) database.reservations.delete(key);
  return true;
}

function listedOf(database: MemoryDatabase, { id, stateSince }: RunRow): ListedRun {
  const feeds = new Set(feedsOf(database, id).map(({ feedId }) => feedId));
  const agenda = [...database.agenda.values()].filter(({ feedId }) => feeds.has(feedId));
  const dueInMs =
    agenda.length === 0 ? null : Math.min(...agenda.map(({ offerAtMs }) => offerAtMs)) - database.clock.nowMs();
  return { runId: id, since: String(stateSince.getTime()), feeds: feeds.size, dueInMs };
}
