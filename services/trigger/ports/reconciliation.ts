import type { SweptFeed } from './outbox-sweep.ts';

/**
 * What the reconciler found wrong and set right.
 * - `totals`: sums of a step that were not what its rows say. `failure-totals`: the same by reason.
 * - `fed-users`: users counted as fed that were not what is in the feed's batches.
 * - `agenda`: open steps that would not have been looked for any more; they are offered again.
 */
export const repairKinds = ['totals', 'failure-totals', 'fed-users', 'agenda'] as const;

export type RepairKind = (typeof repairKinds)[number];

export interface Repair {
  kind: RepairKind;
  /** Null where it is of the feed as a whole. */
  step: number | null;
  /** In words: each sum and by how much it was changed, or how many steps were put on the agenda. */
  what: string;
}

/**
 * Compares what a feed's sums and agenda say with its rows, and sets them right. Rows are the truth: a statement that
 * changes one changes the sums in the same transaction, so at any moment both agree, and a difference is damage.
 */
export interface Reconciliation {
  /**
   * Reads all rows of a feed, some 30 ms for 20,000 batches, and repairs in the same statements, with an event of its
   * run. Safe beside workers and triggers: what is added is the difference of one moment.
   */
  reconcile(feed: SweptFeed): Promise<Repair[]>;
}
