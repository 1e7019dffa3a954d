import { workCalendarOf } from '../../../shared/contracts/schedules/work-calendars.ts';
import type { WorkCalendarStore } from '../../../services/api/schedules/work-calendar-store.port.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

/** Corresponds to `work-calendar-store.ts`, over maps. */
export function createMemoryWorkCalendars({ database }: { database: MemoryDatabase }): Pick<WorkCalendarStore, 'put'> {
  const { clock, recurring } = database;
  return {
    put: (name, definition) =>
      atOnce(() => {
        recurring.calendars.set(name, workCalendarOf(definition));
        const now = clock.nowMs();
        const users = [...recurring.schedules.values()].filter(
          (row) => row.definition.recurrence.workCalendar === name && row.state === 'active',
        );
        for (const row of users.filter(({ nextCheckAtMs }) => (nextCheckAtMs ?? Infinity) > now)) {
          Object.assign(row, {
            highWaterMs: Math.max(row.highWaterMs, now),
            nextCheckAtMs: now,
            regionNextChecks: new Map(),
          });
        }
        const at = new Date(now);
        return { name, definition, revision: 1, schedules: users.length, createdAt: at, updatedAt: at };
      }),
  };
}
