import type { NewClient } from '../../../services/api/clients/postgres/client-store.ts';
import { createSettableClock } from '../settable-clock.ts';
import { describeCampaignSchedules } from '../conformance/campaign-schedules.conformance.ts';
import { describeSchedules } from '../conformance/schedules.conformance.ts';
import { createMemoryCampaignStore } from './campaign-store.ts';
import { createMemoryDueJobs } from './due-jobs.ts';
import { createMemoryDueSchedules } from './due-schedules.ts';
import { createMemoryLeases } from './leases.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { clientOf } from '../clients.ts';
import { createMemoryScheduleStore } from './schedule-store.ts';
import { createMemoryWorkCalendars } from './work-calendars.ts';

describeSchedules('in memory', () => {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const { jobs } = database.scheduled;
  const store = createMemoryScheduleStore({ database });
  return Promise.resolve({
    schedules: store,
    groups: store,
    workCalendars: createMemoryWorkCalendars({ database }),
    due: createMemoryDueSchedules({ database }),
    addClient: (client: NewClient) => {
      database.scheduled.clients.set(client.clientId, clientOf(client, clock.now()));
      return Promise.resolve();
    },
    jobs: () => Promise.resolve([...jobs.values()].sort((a, b) => a.dueAtMs - b.dueAtMs)),
    endJobs: () => {
      jobs.clear();
      return Promise.resolve();
    },
    disarm: (scheduleId: string) => {
      const row = database.recurring.schedules.get(scheduleId);
      if (row) row.nextCheckAtMs = null;
      return Promise.resolve();
    },
    switchOff: (region: string) => {
      database.recurring.switchedOff.add(region);
      return Promise.resolve();
    },
    nowMs: () => clock.nowMs(),
    passTime: (ms: number) => {
      clock.advance(ms);
      return Promise.resolve();
    },
  });
});

describeCampaignSchedules('in memory', () => {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  return Promise.resolve({
    campaigns: createMemoryCampaignStore({ database }),
    schedules: createMemoryScheduleStore({ database }),
    due: createMemoryDueSchedules({ database }),
    dueJobs: createMemoryDueJobs({ database }),
    leases: createMemoryLeases({ database }),
    runs: () =>
      Promise.resolve(
        [...database.runs.values()]
          .sort((a, b) => a.scheduledFor.getTime() - b.scheduledFor.getTime())
          .map(({ id: runId, state, stateReason, scheduledFor }) => {
            return { runId, state, stateReason, scheduledForMs: scheduledFor.getTime() };
          }),
      ),
    move: (runId: string, state: 'running' | 'completed') => {
      const run = database.runs.get(runId);
      if (run)
        Object.assign(run, { state, startedAt: clock.now(), endedAt: state === 'completed' ? clock.now() : null });
      return Promise.resolve();
    },
    nowMs: () => clock.nowMs(),
    passTime: (ms: number) => {
      clock.advance(ms);
      return Promise.resolve();
    },
  });
});
