import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { Mark } from '../ports/due-references.ts';

/** Reach of late looks behind a mark, in microseconds. */
const keptUs = 1_000_000;

/** Jobs seen and offered in the second before a partition's mark, so that late looks recognise new ones. */
export interface RecentOffers {
  has(reference: JobReference): boolean;
  note(reference: JobReference): void;
  forget(partition: number, mark: Mark): void;
  keepOnly(partitions: ReadonlySet<number>): void;
}

export function createRecentOffers(): RecentOffers {
  /** Due times by job, by partition. Ordered by the time of reading, which is nearly that of due times. */
  const seen = new Map<number, Map<string, number>>();
  return {
    has: ({ partition, jobId, dueUs }) => seen.get(partition)?.get(jobId) === dueUs,
    note: ({ partition, jobId, dueUs }) => {
      const ofPartition = seen.get(partition) ?? new Map<string, number>();
      seen.set(partition, ofPartition);
      // A moved job gets its new position.
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
