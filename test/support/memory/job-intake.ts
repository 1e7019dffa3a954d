import type { JobIntake, JobToStore, KnownJob } from '../../../shared/ports/job-intake.ts';
import { atOnce } from './at-once.ts';
import { countJobs, type StoredJobRow } from './job-tables.ts';
import { wakeKey } from './key-advancer.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryJobIntake({ database }: { database: MemoryDatabase }): JobIntake {
  const { scheduled, clock } = database;
  const { jobs, ended, dead } = scheduled;

  function put(job: JobToStore, place: number): number {
    const { dueAt, delayMs, relevancyMs, alike: _, ...rest } = job;
    const now = clock.nowMs();
    const dueAtMs = Math.max(dueAt?.getTime() ?? now + delayMs, now);
    const expiresAtMs = relevancyMs === null ? null : dueAtMs + relevancyMs;
    const times = { dueAtMs, scheduledForMs: dueAtMs, acceptedAtMs: now, expiresAtMs };
    const waits = job.ordering && { dueAtMs: Infinity, readyAtMs: dueAtMs, place };
    const row: StoredJobRow = { ...rest, ...times, ...waits, attempt: 1, probes: 0, sideline: null };
    jobs.set(job.jobId, row);
    wakeKey({ wakes: scheduled.wakes, clock }, row);
    countJobs(scheduled, job.clientId, { accepted: 1 });
    return dueAtMs;
  }

  return {
    store: (wanted) =>
      atOnce(() => {
        const gone = new Set([...ended.map(({ jobId }) => jobId), ...dead.keys()]);
        const isNew = ({ jobId }: JobToStore) => !jobs.has(jobId) && !gone.has(jobId);
        return new Map(wanted.filter(isNew).map((job, place) => [job.jobId, put(job, place)]));
      }),

    known: (wanted) =>
      atOnce(() =>
        wanted.map((job): KnownJob | undefined => {
          const { jobId } = job;
          const row = jobs.get(jobId);
          const call = row ?? dead.get(jobId)?.job ?? ended.findLast((each) => each.jobId === jobId);
          if (!call) return undefined;
          return {
            dueAtMs: row ? dueOf(row) : null,
            isSameCall: [{}, ...(job.alike?.() ?? [])].some((earlier) => isSameCall({ ...job, ...earlier }, call)),
          };
        }),
      ),
  };
}

function dueOf({ dueAtMs, sideline, readyAtMs }: StoredJobRow): number | null {
  if (Number.isFinite(dueAtMs)) return dueAtMs;
  return sideline === null ? (readyAtMs ?? null) : null;
}

type Call = Pick<JobToStore, 'method' | 'url' | 'headers' | 'body'>;

function isSameCall(job: Call, { method, url, headers, body }: Call): boolean {
  return job.method === method && job.url === url && job.headers === headers && job.body === body;
}
