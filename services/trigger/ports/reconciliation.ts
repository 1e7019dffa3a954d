import type { SweptFeed } from './outbox-sweep.ts';

/**
 * Kinds of repaired differences.
 * - `totals`: sums of a step differed from its rows.
 * - `failure-totals`: sums of failures by reason differed from the rows.
 * - `fed-users`: the number of fed users differed from the feed's batches.
 * - `agenda`: open steps were missing on the agenda, so that they would never have been offered again.
 */
export type RepairKind = 'totals' | 'failure-totals' | 'fed-users' | 'agenda';

export interface Repair {
  kind: RepairKind;
  /** Step of the repaired rows; null for a repair of the whole feed. */
  step: number | null;
  /** Description of the repair: each sum and its change, or the number of steps that were added to the agenda. */
  what: string;
}

/**
 * Compares the sums and the agenda of a feed with its rows, and repairs differences. The rows are taken as correct.
 * Each statement of Muster changes rows and sums in the same transaction, so any difference at one moment is damage.
 */
export interface Reconciliation {
  /**
   * Repairs a feed, and adds an event to its run. Reads all rows of the feed, which takes about 30 ms for 20,000
   * batches. Workers and triggers may write at the same time, because a repair adds a difference that the same
   * statement has computed.
   */
  reconcile(feed: SweptFeed): Promise<Repair[]>;
}
