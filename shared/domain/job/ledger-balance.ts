import { partitionCount } from '../partitioning.ts';

/** A deviation beyond this many standard deviations is not chance: one in a million checks. */
const deviations = 5;

/**
 * Returns the allowed difference between a count of jobs in some partitions and the share of the totals: ids are
 * distributed over partitions at random. Returns 0 if all partitions were counted.
 *
 * @param expected jobs in all partitions
 * @param partitions number of counted partitions, 1 to 64
 */
export function countTolerance(expected: number, partitions: number): number {
  const share = partitions / partitionCount;
  return share >= 1 ? 0 : Math.ceil(deviations * Math.sqrt(Math.max(1, expected) * share * (1 - share)));
}

/** Returns counted minus expected jobs in the counted partitions; 0 if the difference may be chance. */
export function ledgerDifference({
  expected,
  counted,
  partitions,
}: {
  expected: number;
  counted: number;
  partitions: number;
}) {
  const difference = counted - expected * (partitions / partitionCount);
  return Math.abs(difference) <= countTolerance(expected, partitions) ? 0 : Math.round(difference);
}
