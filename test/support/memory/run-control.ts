import type { RunChange, RunControl } from '../../../services/api/runs/control/run-control.port.ts';
import { pageOf, requireIdCursor } from '../../../services/api/frame/postgres/pages.ts';
import { isTerminal } from '../../../shared/domain/run/run-states.ts';
import { nothingUnderWay } from '../../../shared/domain/run/under-way.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { RunRow } from './run-tables.ts';
import { addRunEvent } from './run-events.ts';
import { headerOf } from './run-reports.ts';
import { totalsOf } from './totals.ts';
import { underWayOf } from './under-way.ts';

export function createMemoryRunControl({ database }: { database: MemoryDatabase }): RunControl {
  const { runs, runEvents } = database;

  return {
    change: (runId, decide) =>
      atOnce(() => {
        const row = runs.get(runId);
        if (!row) return undefined;
        const decision = decide(headerOf(row, database));
        if (decision.change) write(database, row, decision.change);
        return { decision, run: headerOf(row, database), underWay: underWayOf(database, runId) ?? nothingUnderWay };
      }),

    underWay: (runId) => atOnce(() => underWayOf(database, runId) ?? nothingUnderWay),

    events: (runId, limit, cursor) =>
      atOnce(() => {
        requireIdCursor(cursor);
        const found = runEvents
          .filter((event) => event.runId === runId && (cursor === null || event.eventId > cursor))
          .map(({ eventId, at, kind, detail }) => ({ eventId, at, kind, detail }));
        return pageOf(found, limit, ({ eventId }) => eventId);
      }),
  };
}

function write(database: MemoryDatabase, row: RunRow, change: RunChange): void {
  const { to = row.state, stateReason = row.stateReason, settings, deadlineAt, judgeFromHere, events } = change;
  const now = database.clock.now();
  if (to !== row.state) row.stateSince = now;
  if (to === 'running' && row.canary === 'waits') row.canary = 'over';
  if (change.variant !== undefined)
    for (const feed of database.feeds.values())
      if (feed.runId === row.id && feed.variant === null && feed.canaryUsers === 0) feed.variant = change.variant;
  if (isTerminal(to)) Object.assign(row, { endedAt: now, waitingCause: null, waitingSince: null });
  Object.assign(row, { state: to, stateReason, settings: { ...row.settings, ...settings } });
  if (deadlineAt) row.deadlineAtMs = deadlineAt.getTime();
  if (judgeFromHere) row.failureBaseline = endedSoFar(database, row.id);
  for (const { kind, detail } of events) addRunEvent(database, row.id, kind, detail);
}

function endedSoFar(database: MemoryDatabase, runId: string): RunRow['failureBaseline'] {
  const judged = new Map<number, { ended: number; failed: number }>();
  const own = [...database.feeds.values()].filter((feed) => feed.runId === runId);
  for (const { step, succeeded, failed, unknown } of own.flatMap(({ feedId }) => totalsOf(database, feedId))) {
    const sum = judged.get(step) ?? { ended: 0, failed: 0 };
    judged.set(step, { ended: sum.ended + succeeded + failed + unknown, failed: sum.failed + failed + unknown });
  }
  return judged;
}
