import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { firstMark, type Mark } from '../ports/due-references.ts';

const firstPauseMs = 20_000;
const longestPauseMs = 600_000;

/**
 * Jobs that the sweep found lost, and the times at which they are offered again, at growing intervals. Also contains
 * the positions of the sweep. A pass is one walk of the sweep through a partition, in one or more reads.
 */
export interface SweptJobs {
  /**
   * Returns the position from which the sweep continues its pass through a partition. `isListed` is true if this pass
   * also adds the jobs that it skips to the waiting jobs of their bands.
   */
  positionOf(partition: number): { after: Mark; isListed: boolean };
  moveTo(partition: number, cursor: Mark): void;
  list(): void;
  /** Returns whether the job has to be offered again now. If so, records the offer. */
  isDue(reference: JobReference, nowMs: number): boolean;
  /**
   * Ends the pass through a partition. Removes the jobs that this pass did not find, because they are no longer lost.
   */
  endPass(partition: number): void;
  keepOnly(partitions: ReadonlySet<number>): void;
}

interface SweptPartition {
  pass: number;
  cursor: Mark;
  isListed: boolean;
  isNextListed: boolean;
  jobs: Map<string, Swept>;
}

interface Swept {
  notBeforeMs: number;
  pauseMs: number;
  pass: number;
}

export function createSweptJobs(): SweptJobs {
  const partitions = new Map<number, SweptPartition>();

  function of(partition: number): SweptPartition {
    const known = partitions.get(partition) ?? {
      pass: 0,
      cursor: firstMark,
      isListed: false,
      isNextListed: false,
      jobs: new Map<string, Swept>(),
    };
    partitions.set(partition, known);
    return known;
  }

  return {
    positionOf: (partition) => {
      const known = of(partition);
      if (known.cursor === firstMark && known.isNextListed) [known.isListed, known.isNextListed] = [true, false];
      return { after: known.cursor, isListed: known.isListed };
    },
    moveTo: (partition, cursor) => {
      of(partition).cursor = cursor;
    },
    list: () => {
      for (const known of partitions.values()) known.isNextListed = true;
    },
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
      known.cursor = firstMark;
      known.isListed = false;
      known.pass++;
    },
    keepOnly: (kept) => {
      for (const partition of [...partitions.keys()]) if (!kept.has(partition)) partitions.delete(partition);
    },
  };
}
