import type { JobIntake, JobToStore, KnownJob } from '../../../shared/ports/job-intake.ts';
import { atOnce } from './at-once.ts';
import { countJobs, type StoredJobRow } from './job-tables.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryJobIntake({ database }: { database: MemoryDatabase }): JobIntake {
  const { scheduled, clock } = database;
  const { jobs, ended, dead } = scheduled;

  function put(job: JobToStore): number {
    const { dueAt, delayMs, relevancyMs, ...rest } = job;
    const now = clock.nowMs();
    const dueAtMs = Math.max(dueAt?.getTime() ?? now + delayMs, now);
    const expiresAtMs = relevancyMs === null ? null : dueAtMs + relevancyMs;
    const times = { dueAtMs, scheduledForMs: dueAtMs, acceptedAtMs: now, expiresAtMs };
    jobs.set(job.jobId, { ...rest, ...times, attempt: 1, probes: 0, sideline: null });
    countJobs(scheduled, job.clientId, { accepted: 1 });
    return dueAtMs;
  }

  return {
    store: (wanted) =>
      atOnce(() => {
        const gone = new Set([...ended.map(({ jobId }) => jobId), ...dead.keys()]);
        const isNew = ({ jobId }: JobToStore) => !jobs.has(jobId) && !gone.has(jobId);
        return new Map(wanted.filter(isNew).map((job) => [job.jobId, put(job)]));
      }),

    known: (jobIds) =>
      atOnce(() =>
        jobIds.flatMap((jobId): KnownJob[] => {
          const row = jobs.get(jobId);
          if (row) return [{ jobId, dueAtMs: Number.isFinite(row.dueAtMs) ? row.dueAtMs : null, call: wholeCall(row) }];
          const deadRow = dead.get(jobId);
          if (deadRow) return [{ jobId, dueAtMs: null, call: wholeCall(deadRow.job) }];
          const end = ended.find((each) => each.jobId === jobId);
          return end ? [{ jobId, dueAtMs: null, call: { whole: false, method: end.method, url: end.url } }] : [];
        }),
      ),
  };
}

function wholeCall({ method, url, headers, body }: StoredJobRow) {
  return { whole: true as const, method, url, headers, body };
}
