import { describeJobIntake } from '../conformance/job-intake.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createMemoryJobIntake } from './job-intake.ts';
import { createMemoryDatabase } from './memory-database.ts';

describeJobIntake('in memory', () => {
  const database = createMemoryDatabase(createSettableClock());
  const { jobs, ended, dead, totals } = database.scheduled;
  return Promise.resolve({
    intake: createMemoryJobIntake({ database }),
    now: () => atOnce(() => database.clock.nowMs()),
    stored: (jobId) => atOnce(() => jobs.get(jobId)),
    accepted: (clientId) => atOnce(() => totals.get(clientId)?.accepted ?? 0),
    end: (jobId, outcome) =>
      atOnce(() => {
        const row = jobs.get(jobId);
        if (!row) return;
        jobs.delete(jobId);
        const endedAtMs = database.clock.nowMs();
        const nothing = { status: null, latencyMs: null, error: null, answer: null };
        if (outcome === 'called') ended.push({ ...row, ...nothing, endedAtMs, outcome });
        else dead.set(jobId, { jobId, clientId: row.clientId, diedAtMs: endedAtMs, cause: 'http-500', job: row });
      }),
  });
});
