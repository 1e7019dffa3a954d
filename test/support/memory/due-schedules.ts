import type { NewOccurrence } from '../../../shared/contracts/schedules/planned-rows.ts';
import { recurrenceOf } from '../../../shared/contracts/schedules/recurrences.ts';
import { nextTimes } from '../../../shared/domain/recurrence/recurrence.ts';
import type { DueSchedules, FiredOccurrence } from '../../../services/scheduler/ports/due-schedules.ts';
import { atOnce } from './at-once.ts';
import { beginTarget, fireSchedulesInMemory, isAtWork, occurrencesOfRow } from './fire-schedules.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { ScheduleRow } from './schedule-tables.ts';

export function createMemoryDueSchedules({ database }: { database: MemoryDatabase }): DueSchedules {
  const { clock, recurring } = database;

  const active = () => [...recurring.schedules.values()].filter(({ state }) => state === 'active');
  const nextCheckOf = ({ nextCheckAtMs, regionNextChecks }: ScheduleRow, region: string) =>
    regionNextChecks.get(region) ?? nextCheckAtMs ?? Infinity;

  return {
    recur: ({ region, owner }, limit) =>
      atOnce(() => {
        const due = (recurring.switchedOff.has(region) ? [] : active())
          .filter(
            (row) => (row.nextCheckAtMs ?? Infinity) <= clock.nowMs() && nextCheckOf(row, region) <= clock.nowMs(),
          )
          .sort((a, b) => (a.nextCheckAtMs ?? 0) - (b.nextCheckAtMs ?? 0))
          .slice(0, limit);
        const decided = fireSchedulesInMemory(database, due, { region, nodeRegion: region, owner });
        const next = Math.min(...active().map((row) => nextCheckOf(row, region)));
        return {
          fired: decided.occurrences.filter(({ state }) => state === 'fired').map(firedIn(database)),
          buffered: decided.occurrences.filter(({ state }) => state === 'buffered').map(firedIn(database)),
          skipped: decided.skipped,
          ended: decided.ended,
          broken: [],
          examined: due.length,
          nextCheckInMs: Number.isFinite(next) ? Math.max(0, next - clock.nowMs()) : null,
        };
      }),

    fireBuffered: ({ region, owner }, limit) =>
      atOnce(() => {
        const fired: FiredOccurrence[] = [];
        if (recurring.switchedOff.has(region)) return { fired, broken: [], isAny: true };
        const rows = active().filter((row) =>
          occurrencesOfRow(database, row).some(({ state }) => state === 'buffered'),
        );
        for (const row of rows.slice(0, limit)) {
          const own = occurrencesOfRow(database, row);
          for (const each of own.filter(({ state }) => state === 'buffered')) {
            const isBusy = own.some((other) => {
              return (
                other.group === each.group && other.open && other.state === 'fired' && isAtWork(database, row, other)
              );
            });
            if (isBusy) continue;
            Object.assign(each, { state: 'fired', dueAtMs: clock.nowMs(), decidedAtMs: clock.nowMs(), region, owner });
            beginTarget(database, row, each);
            fired.push(firedIn(database)(each));
          }
        }
        return { fired, broken: [], isAny: rows.length > 0 };
      }),

    forget: (days, limit) =>
      atOnce(() => {
        const beforeMs = clock.nowMs() - days * 86_400_000;
        const fired = [...recurring.occurrences].filter(([, { open, decidedAtMs }]) => !open && decidedAtMs < beforeMs);
        const skipped = [...recurring.skipped].filter(([, { recordedAtMs }]) => recordedAtMs < beforeMs);
        for (const [key] of fired.slice(0, limit)) recurring.occurrences.delete(key);
        for (const [key] of skipped.slice(0, limit)) recurring.skipped.delete(key);
        return Math.min(fired.length, limit) + Math.min(skipped.length, limit);
      }),

    rearm: (limit, cursor) =>
      atOnce(() => {
        const page = active()
          .filter(({ id }) => cursor === null || id > cursor)
          .sort((a, b) => (a.id < b.id ? -1 : 1))
          .slice(0, limit);
        let repaired = 0;
        for (const row of page) {
          const recurrence = recurrenceOf(row.definition.recurrence, row.createdAtMs, recurring.calendars);
          const { fireMs: nextAtMs, checkMs } = nextTimes(recurrence, row.highWaterMs);
          const nextCheckAtMs = checkMs ?? recurrence.untilMs ?? clock.nowMs();
          if (row.nextCheckAtMs !== null && row.nextCheckAtMs <= nextCheckAtMs) continue;
          Object.assign(row, { nextAtMs, nextCheckAtMs, regionNextChecks: new Map() });
          repaired++;
        }
        return {
          repaired,
          broken: [],
          readable: [],
          brokenNow: 0,
          cursor: page.length < limit ? null : (page.at(-1)?.id ?? null),
        };
      }),
  };
}

function firedIn({ recurring }: MemoryDatabase): (occurrence: NewOccurrence) => FiredOccurrence {
  return ({ scheduleId, group, scheduledForMs, targetId }) => {
    const isJob = (recurring.schedules.get(scheduleId)?.clientId ?? null) !== null;
    return { scheduleId, group, scheduledForMs, targetId, isJob };
  };
}
