import type { JobReference } from '../../shared/domain/job/job-key.ts';

const firstPauseMs = 20_000;
const longestPauseMs = 600_000;

/** Jobs that were found unoffered, or whose offer was lost: they are offered again at growing distances. */
export interface SweptJobs {
  /** Whether it is to be offered again now, which is then noted. */
  isDue(reference: JobReference, nowMs: number): boolean;
  /** A partition was swept from end to end: what was not found any more is forgotten. */
  endPass(partition: number): void;
  keepOnly(partitions: ReadonlySet<number>): void;
}

interface Swept {
  notBeforeMs: number;
  pauseMs: number;
  pass: number;
}

export function createSweptJobs(): SweptJobs {
  const partitions = new Map<number, { pass: number; jobs: Map<string, Swept> }>();

  function of(partition: number) {
    const known = partitions.get(partition) ?? { pass: 0, jobs: new Map<string, Swept>() };
    partitions.set(partition, known);
    return known;
  }

  return {
    isDue: ({ partition, jobId, dueUs }, nowMs) => {
      const { pass, jobs } = of(partition);
      const key = `${jobId}/${dueUs}`;
      const before = jobs.get(key);
      if (before && before.notBeforeMs > nowMs) {
        before.pass = pass;
        return false;
      }
      const pauseMs = Math.min(longestPauseMs, before ? before.pauseMs * 2 : firstPauseMs);
      jobs.set(key, { notBeforeMs: nowMs + pauseMs, pauseMs, pass });
      return true;
    },
    endPass: (partition) => {
      const known = of(partition);
      for (const [key, { pass }] of known.jobs) if (pass !== known.pass) known.jobs.delete(key);
      known.pass++;
    },
    keepOnly: (kept) => {
      for (const partition of [...partitions.keys()]) if (!kept.has(partition)) partitions.delete(partition);
    },
  };
}
