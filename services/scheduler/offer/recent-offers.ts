import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { Mark } from '../ports/due-references.ts';

/** Time in microseconds before a mark in which late scans search for jobs. */
const keptUs = 1_000_000;

/**
 * Jobs that were offered in the last second before a partition's mark. A late scan skips them, so that it finds only
 * jobs that were never offered.
 */
export interface RecentOffers {
  has(reference: JobReference): boolean;
  note(reference: JobReference): void;
  forget(partition: number, mark: Mark): void;
  keepOnly(partitions: ReadonlySet<number>): void;
}

export function createRecentOffers(): RecentOffers {
  /**
   * Due times of jobs by partition and job id. Each inner map is in the order in which the jobs were read, which is
   * nearly the order of their due times.
   */
  const seen = new Map<number, Map<string, number>>();
  return {
    has: ({ partition, jobId, dueUs }) => seen.get(partition)?.get(jobId) === dueUs,
    note: ({ partition, jobId, dueUs }) => {
      const ofPartition = seen.get(partition) ?? new Map<string, number>();
      seen.set(partition, ofPartition);
      // A job that is already in the map has another due time now, so it moves to the end.
      ofPartition.delete(jobId);
      ofPartition.set(jobId, dueUs);
    },
    forget: (partition, mark) => {
      for (const [jobId, dueUs] of seen.get(partition) ?? []) {
        if (dueUs > mark.dueUs - keptUs) return;
        seen.get(partition)?.delete(jobId);
      }
    },
    keepOnly: (partitions) => {
      for (const partition of [...seen.keys()]) if (!partitions.has(partition)) seen.delete(partition);
    },
  };
}
