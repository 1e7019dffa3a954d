import type { RunHistory, TroubleEvent } from '../../../services/trigger/ports/run-history.ts';
import { beforeLocalStart } from '../../../shared/contracts/runs/feed-audience.ts';
import { maxTroubleEvents, troubleEventKinds, type TroubleEventKind } from '../../../shared/domain/run/run-events.ts';
import { firstGapMs, pointPlaceOf } from '../../../shared/domain/run/run-points.ts';
import { atOnce } from './at-once.ts';
import type { FeedRow } from './feed-tables.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { definitionOf } from './run-definitions.ts';
import { addRunEvent } from './run-events.ts';
import { feedsOf } from './run-feeds.ts';
import type { RunRow, RunTroubleRow } from './run-tables.ts';
import { totalsOf } from './totals.ts';

// Only Postgres stores which shards workers serve, so no worker is ever reported as missing here.
const begins = { breaker: 'breaker-opened', hold: 'step-held', feed: 'feed-stalled' } as const;
const ends = { breaker: 'breaker-closed', hold: 'step-released', feed: 'feed-moved' } as const;

export function createMemoryRunHistory({ database }: { database: MemoryDatabase }): RunHistory {
  const { runs, runTroubles, clock } = database;
  const going = (runIds: readonly string[]) =>
    runIds.flatMap((runId) => runs.get(runId) ?? []).filter((run) => run.endedAt === null && run.startedAt !== null);

  return {
    notePoints: (points) =>
      atOnce(() => {
        const endedOf = new Map(points.map(({ runId, ended }) => [runId, ended]));
        return going([...endedOf.keys()]).filter((run) => notePoint(database, run, endedOf.get(run.id) ?? 0)).length;
      }),
    noteTroubles: (runIds) =>
      atOnce(() => {
        const rows = going(runIds).flatMap((run) => troublesOf(database, run));
        const present = new Map(rows.map((row) => [keyOf(row), row]));
        const gone = [...runTroubles.values()].filter((row) => runIds.includes(row.runId) && !present.has(keyOf(row)));
        const come = [...present.values()].filter((row) => !runTroubles.has(keyOf(row)));
        for (const row of gone) runTroubles.delete(keyOf(row));
        for (const row of come) runTroubles.set(keyOf(row), row);
        return [
          ...come.flatMap((row) => tell(database, row, begins[row.kind], {})),
          ...gone
            .filter((row) => row.kind !== 'breaker' || !isOpen(database, row))
            .flatMap((row) => tell(database, row, ends[row.kind], { forMs: clock.nowMs() - row.sinceMs })),
        ];
      }),
  };
}

function notePoint(database: MemoryDatabase, { id: runId, startedAt }: RunRow, ended: number): boolean {
  const { runPoints, clock } = database;
  const { slot, stride } = pointPlaceOf(clock.nowMs() - (startedAt?.getTime() ?? 0));
  if (runPoints.has(`${runId}/${slot}`)) return false;
  for (const [key, point] of stride === 1 ? [] : runPoints) {
    if (point.runId === runId && point.slot % stride !== 0) runPoints.delete(key);
  }
  runPoints.set(`${runId}/${slot}`, { runId, slot, at: clock.now(), ended });
  return true;
}

/** Writes the last progress point of a run that has just ended. */
export function noteEnd(database: MemoryDatabase, { id: runId, startedAt, endedAt }: RunRow): void {
  for (const [key, row] of database.runTroubles) if (row.runId === runId) database.runTroubles.delete(key);
  if (!startedAt || !endedAt) return;
  const slot = Math.floor((endedAt.getTime() - startedAt.getTime()) / firstGapMs);
  database.runPoints.set(`${runId}/${slot}`, { runId, slot, at: endedAt, ended: endedUsersOf(database, runId) });
}

function endedUsersOf(database: MemoryDatabase, runId: string): number {
  return feedsOf(database, runId)
    .flatMap(({ feedId }) => totalsOf(database, feedId))
    .reduce((sum, { succeeded, failed, unknown }) => sum + succeeded + failed + unknown, 0);
}

function troublesOf(database: MemoryDatabase, run: RunRow): RunTroubleRow[] {
  const { clock, holds, guards } = database;
  if (!mayBeTroubled(database)) return [];
  const { chain } = definitionOf(database, run);
  return feedsOf(database, run.id).flatMap((feed): RunTroubleRow[] => {
    const { feedId, country, fromStep, complete, stalled, stalls, stalledUntilMs } = feed;
    const place = { runId: run.id, country };
    const isStalled = stalled !== null && !complete && stalled !== beforeLocalStart;
    return [
      ...[...holds.values()]
        .filter((hold) => hold.feedId === feedId && hold.kind === 'fault')
        .map(({ step, cause, sinceMs }) => ({ ...place, kind: 'hold' as const, step, cause, sinceMs })),
      ...(isStalled && (stalls >= 2 || stalledUntilMs === null)
        ? [{ ...place, kind: 'feed' as const, step: fromStep, cause: stalled, sinceMs: clock.nowMs() }]
        : []),
      ...chain.flatMap(({ action }, index) => {
        const guard = guards.get(`${action}/${country}`);
        const step = index + 1;
        if (guard?.state !== 'open' || step < fromStep || !isAwaited(database, feed, step)) return [];
        const sinceMs = Math.max(guard.openedAtMs, run.startedAt?.getTime() ?? 0);
        return [{ ...place, kind: 'breaker' as const, step, cause: guard.cause, sinceMs }];
      }),
    ];
  });
}

/**
 * Returns true if some run may be disrupted. This quick check saves work, because it runs once per simulated second and
 * most walks have no disruption.
 */
function mayBeTroubled({ holds, guards, feeds }: MemoryDatabase): boolean {
  if (holds.size > 0 || guards.size > 0) return true;
  return [...feeds.values()].some(({ stalled }) => stalled !== null);
}

/** Returns true if users are in the step, before it, or not fed yet. */
function isAwaited(database: MemoryDatabase, { feedId, complete, fedUsers, heldOutUsers }: FeedRow, step: number) {
  const lines = totalsOf(database, feedId).filter((line) => line.step <= step);
  const lost = lines.reduce((sum, line) => sum + line.failed + line.expired + line.cancelled + line.unknown, 0);
  const through = lines.find((line) => line.step === step)?.succeeded ?? 0;
  return !complete || fedUsers - heldOutUsers > lost + through;
}

function isOpen(database: MemoryDatabase, { runId, step, country }: RunTroubleRow): boolean {
  const run = database.runs.get(runId);
  const action = run ? definitionOf(database, run).chain[step - 1]?.action : undefined;
  return database.guards.get(`${action ?? ''}/${country}`)?.state === 'open';
}

function tell(
  database: MemoryDatabase,
  { runId, kind: trouble, step, country, cause }: RunTroubleRow,
  kind: TroubleEventKind,
  more: { forMs?: number },
): TroubleEvent[] {
  const run = database.runs.get(runId);
  if (run?.endedAt !== null) return [];
  const kinds = new Set<string>(troubleEventKinds);
  const notified = database.runEvents.filter((event) => event.runId === runId && kinds.has(event.kind)).length;
  if (notified >= maxTroubleEvents) return [];
  const action = definitionOf(database, run).chain[step - 1]?.action;
  addRunEvent(database, runId, kind, { country, ...(trouble === 'feed' ? {} : { step, action }), cause, ...more });
  return [{ runId, kind }];
}

function keyOf({ runId, kind, step, country }: RunTroubleRow): string {
  return `${runId}/${kind}/${step}/${country}`;
}
