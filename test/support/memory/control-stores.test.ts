import { v7 as uuidv7 } from 'uuid';
import { describeCampaignStore } from '../conformance/campaign-store.conformance.ts';
import { describeDeadLetters } from '../conformance/dead-letters.conformance.ts';
import { describeDueJobs } from '../conformance/due-jobs.conformance.ts';
import { describeLeases } from '../conformance/leases.conformance.ts';
import { describeRetention } from '../conformance/retention.conformance.ts';
import { describeRunReports } from '../conformance/run-reports.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createMemoryCampaignStore } from './campaign-store.ts';
import { createMemoryDeadLetters } from './dead-letters.ts';
import { createMemoryDueJobs } from './due-jobs.ts';
import { createMemoryLeases } from './leases.ts';
import { batchKey, createMemoryDatabase, stepKey } from './memory-database.ts';
import { createMemoryRetention } from './retention.ts';
import { createMemoryRunReports } from './run-reports.ts';
import { createMemoryRunStore } from './run-store.ts';
import { createMemoryRunRows } from './run-rows.ts';
import { unclaimed } from './step-claims.ts';

/** Returns all control stores over one empty database. */
function memoryStores() {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  return Promise.resolve({
    campaigns: createMemoryCampaignStore({ database }),
    leases: createMemoryLeases({ database }),
    dueJobs: createMemoryDueJobs({ database }),
    runs: createMemoryRunStore({ database }),
    addJob: ({ campaignId, revision, dueAt }: { campaignId: string; revision: number; dueAt: Date }) =>
      atOnce(() => {
        const id = uuidv7();
        database.jobs.set(id, { id, campaignId, revision, dueAtMs: dueAt.getTime(), settings: {} });
      }),
    reports: createMemoryRunReports({ database }),
    deadLetters: createMemoryDeadLetters({ database }),
    rows: createMemoryRunRows({ database }),
    kept: () =>
      atOnce(() => [...database.deadLetters.values()].map(({ key, value, reason }) => ({ key, value, reason }))),
    database,
    now: () => atOnce(() => clock.now()),
    passTime: (ms: number) => atOnce(() => clock.advance(ms)),
  });
}

describeCampaignStore('in memory', memoryStores);
describeLeases('in memory', memoryStores);
describeDueJobs('in memory', memoryStores);
describeRunReports('in memory', memoryStores);
describeDeadLetters('in memory', memoryStores);
describeRetention('in memory', () => {
  const database = createMemoryDatabase(createSettableClock(Date.now()));
  const countOf = (rows: Iterable<{ feedId: string }>, feedId: string) =>
    [...rows].filter((row) => row.feedId === feedId).length;
  return Promise.resolve({
    campaigns: createMemoryCampaignStore({ database }),
    reports: createMemoryRunReports({ database }),
    rows: createMemoryRunRows({ database }),
    retention: createMemoryRetention({ database }),
    addBatch: (feedId: string) =>
      atOnce(() => {
        const batch = { feedId, batchNo: 1, users: ['u1', 'u2'], parent: null, fromStep: 1 };
        database.batches.set(batchKey(feedId, 1), batch);
        database.steps.set(stepKey(feedId, 1, 1), { ...unclaimed, feedId, batchNo: 1, step: 1, state: 'done' });
      }),
    addPoint: (runId: string) =>
      atOnce(() => {
        database.runPoints.set(`${runId}/0`, { runId, slot: 0, at: new Date(), ended: 0 });
      }),
    countPoints: () => atOnce(() => database.runPoints.size),
    count: (feedId: string) =>
      atOnce(() => ({
        users: countOf(database.batches.values(), feedId),
        steps: countOf(database.steps.values(), feedId),
        failures: countOf(database.failures, feedId),
      })),
  });
});
