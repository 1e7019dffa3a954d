import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { Mark } from '../ports/due-references.ts';

/** As far behind a mark as late looks reach. */
const keptUs = 1_000_000;

/** What was seen and offered in the second before a partition's mark, so that a late look finds what is new. */
export interface RecentOffers {
  has(reference: JobReference): boolean;
  note(reference: JobReference): void;
  /** Forgets what no late look reaches any more. */
  forget(partition: number, mark: Mark): void;
  keepOnly(partitions: ReadonlySet<number>): void;
}

export function createRecentOffers(): RecentOffers {
  /** By partition, due times by job, in the order of being seen, which is nearly that of their due times. */
  const seen = new Map<number, Map<string, number>>();
  return {
    has: ({ partition, jobId, dueUs }) => seen.get(partition)?.get(jobId) === dueUs,
    note: ({ partition, jobId, dueUs }) => {
      const ofPartition = seen.get(partition) ?? new Map<string, number>();
      seen.set(partition, ofPartition);
      // A job that was moved stands at its new place.
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
