import { partitionCount } from '../partitioning.ts';

/** Beyond so many standard deviations it is no chance any more: one in a million checks. */
const deviations = 5;

/**
 * How far a count of jobs may be from what totals say, because it was made in some of the partitions alone: ids lie in
 * them by chance. 0 when all were counted.
 *
 * @param expected jobs in all partitions
 * @param partitions that were counted, 1 to 64
 */
export function countTolerance(expected: number, partitions: number): number {
  const share = partitions / partitionCount;
  return share >= 1 ? 0 : Math.ceil(deviations * Math.sqrt(Math.max(1, expected) * share * (1 - share)));
}

/** Counted less expected, in the partitions that were counted; 0 where the difference may be chance. */
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
