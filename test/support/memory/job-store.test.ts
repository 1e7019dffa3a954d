import { describeClientLedgers } from '../conformance/client-ledgers.conformance.ts';
import { describeJobChanges } from '../conformance/job-changes.conformance.ts';
import { describeJobStore } from '../conformance/job-store.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createMemoryClientFigures, createMemoryClientLedgers } from './client-figures.ts';
import { createMemoryJobChanges } from './job-changes.ts';
import { createMemoryJobIntake } from './job-intake.ts';
import { createMemoryJobStore } from './job-store.ts';
import { createMemoryLedgerCheck } from './ledger-check.ts';
import { createMemoryDatabase } from './memory-database.ts';

describeJobStore('in memory', () => {
  const database = createMemoryDatabase(createSettableClock());
  const { jobs, fires, ended, attempts, dead, totals } = database.scheduled;
  const atMs = database.clock.nowMs();
  const nothing = { latencyMs: null, answer: null };
  return Promise.resolve({
    store: createMemoryJobStore({ database }),
    intake: createMemoryJobIntake({ database }),
    claim: (jobId) =>
      atOnce(() => {
        fires.set(jobId, { jobId, owner: 'a dispatcher', epoch: 1, leaseUntilMs: atMs + 1000 });
      }),
    end: (jobId, end) =>
      atOnce(() => {
        const row = jobs.get(jobId);
        if (!row) return;
        jobs.delete(jobId);
        fires.delete(jobId);
        ended.push({ ...row, ...nothing, ...end, endedAtMs: atMs });
        const death = { jobId, clientId: row.clientId, diedAtMs: atMs, cause: end.error ?? '', job: row };
        if (end.outcome === 'dead') dead.set(jobId, death);
      }),
    noteAttempt: (jobId, attempt) =>
      atOnce(() => {
        attempts.push({ jobId, atMs, ...nothing, ...attempt });
      }),
    sideline: (jobId, host) =>
      atOnce(() => {
        const row = jobs.get(jobId);
        if (row) jobs.set(jobId, { ...row, dueAtMs: Infinity, sideline: host });
      }),
    cancelled: (clientId) => atOnce(() => totals.get(clientId)?.cancelled ?? 0),
  });
});

describeJobChanges('in memory', () => {
  const database = createMemoryDatabase(createSettableClock());
  return Promise.resolve({
    changes: createMemoryJobChanges({ database }),
    store: createMemoryJobStore({ database }),
    intake: createMemoryJobIntake({ database }),
  });
});

describeClientLedgers('in memory', () => {
  const database = createMemoryDatabase(createSettableClock());
  const { jobs } = database.scheduled;
  return Promise.resolve({
    store: createMemoryJobStore({ database }),
    intake: createMemoryJobIntake({ database }),
    ledgers: createMemoryClientLedgers({ database }),
    check: createMemoryLedgerCheck({ database }),
    figures: createMemoryClientFigures({ database }),
    sideline: (jobId, host) =>
      atOnce(() => {
        const row = jobs.get(jobId);
        if (row) jobs.set(jobId, { ...row, dueAtMs: Infinity, sideline: host });
      }),
    lose: (jobId) => atOnce(() => void jobs.delete(jobId)),
  });
});
