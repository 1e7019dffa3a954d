import type { SweptFeed } from './outbox-sweep.ts';

/**
 * Kinds of repaired differences.
 * - `totals`: sums of a step differed from its rows.
 * - `failure-totals`: sums of failures by reason differed from the rows.
 * - `fed-users`: the number of fed users differed from the feed's batches.
 * - `agenda`: the sweep would not have found open steps; they are offered again.
 */
export type RepairKind = 'totals' | 'failure-totals' | 'fed-users' | 'agenda';

export interface Repair {
  kind: RepairKind;
  /** Null for a repair of the whole feed. */
  step: number | null;
  /** Description: each sum and its change, or the number of steps put on the agenda. */
  what: string;
}

/**
 * Compares the sums and the agenda of a feed with its rows, and repairs differences. The rows are correct. Each
 * statement changes rows and sums in the same transaction, so any difference at one moment is damage.
 */
export interface Reconciliation {
  /**
   * Repairs a feed, and adds an event to its run. Reads all rows of the feed, which takes about 30 ms for 20,000
   * batches. Workers and triggers may continue meanwhile, because each repair adds a difference that was computed in
   * the same statement.
   */
  reconcile(feed: SweptFeed): Promise<Repair[]>;
}
