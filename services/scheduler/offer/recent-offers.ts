import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { Mark } from '../ports/due-references.ts';

/** Time in microseconds before a mark that late looks read. */
const keptUs = 1_000_000;

/**
 * Jobs that were offered in the second before a partition's mark. Late looks skip them, and thus recognize new jobs.
 */
export interface RecentOffers {
  has(reference: JobReference): boolean;
  note(reference: JobReference): void;
  forget(partition: number, mark: Mark): void;
  keepOnly(partitions: ReadonlySet<number>): void;
}

export function createRecentOffers(): RecentOffers {
  /**
   * Due times of jobs by partition and job id. Each map is in the order of reading, which is nearly that of the due
   * times.
   */
  const seen = new Map<number, Map<string, number>>();
  return {
    has: ({ partition, jobId, dueUs }) => seen.get(partition)?.get(jobId) === dueUs,
    note: ({ partition, jobId, dueUs }) => {
      const ofPartition = seen.get(partition) ?? new Map<string, number>();
      seen.set(partition, ofPartition);
      // If the job was already in the map, it moves to the end, because it has another due time.
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
