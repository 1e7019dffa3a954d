import { fnv1a } from '../partitioning.ts';

/**
 * Rows that the totals of one (feed, step) are spread over, so that workers do not fight for one. May be changed:
 * totals are summed over all.
 */
const totalsSlots = 64;

/** The slot that this owner adds to: always the same one. */
export function totalsSlotOf(owner: string): number {
  return fnv1a(owner) % totalsSlots;
}
