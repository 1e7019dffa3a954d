import { createSettableClock } from '../settable-clock.ts';
import { describeSchedules } from '../conformance/schedules.conformance.ts';
import { createMemoryClientStore } from './clients.ts';
import { createMemoryDueSchedules } from './due-schedules.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryScheduleStore } from './schedule-store.ts';

describeSchedules('in memory', () => {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const { jobs } = database.scheduled;
  const store = createMemoryScheduleStore({ database });
  return Promise.resolve({
    schedules: store,
    groups: store,
    due: createMemoryDueSchedules({ database }),
    clients: createMemoryClientStore({ database }),
    jobs: () => Promise.resolve([...jobs.values()].sort((a, b) => a.dueAtMs - b.dueAtMs)),
    endJobs: () => {
      jobs.clear();
      return Promise.resolve();
    },
    disarm: (scheduleId: string) => {
      const row = database.recurring.schedules.get(scheduleId);
      if (row) row.lookAtMs = null;
      return Promise.resolve();
    },
    nowMs: () => clock.nowMs(),
    passTime: (ms: number) => {
      clock.advance(ms);
      return Promise.resolve();
    },
  });
});
