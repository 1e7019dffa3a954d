import { fnv1a } from '../partitioning.ts';

/**
 * Number of rows for the totals of one (feed, step), so that workers do not contend for one row. The number may be
 * changed: totals are summed over all rows.
 */
const totalsSlots = 64;

/** Returns the slot of an owner, which is always the same. */
export function totalsSlotOf(owner: string): number {
  return fnv1a(owner) % totalsSlots;
}
