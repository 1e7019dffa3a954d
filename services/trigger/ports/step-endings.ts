import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import type { SweptFeed } from './outbox-sweep.ts';

export interface EndedSteps {
  ended: number;
  /** Agenda entries that were through the chain and were deleted: others may follow them. */
  passed: number;
  /** Start of the next window; null at the end. */
  next: number | null;
}

/**
 * Ends steps without a worker: outcomes, failures and totals in one statement. A worker that held the step before is
 * refused by its epoch. If a call may have been made, the outcome is `unknown`.
 */
export interface StepEndings {
  /**
   * Ends the open steps in a window of the feed's batches, `limit` from `from` on, and as many on its agenda. Steps
   * that a worker holds are skipped until their leases end.
   */
  endOpen(
    feed: SweptFeed,
    outcome: 'expired' | 'cancelled',
    window: { from: number; limit: number },
  ): Promise<EndedSteps>;
  /** Ends those steps that are quarantined as `unknown`, and lists them for people. Returns their number. */
  endQuarantined(refs: readonly StepRef[]): Promise<number>;
}
