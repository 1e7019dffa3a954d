import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import type { SweptFeed } from './outbox-sweep.ts';

export interface EndedSteps {
  ended: number;
  /**
   * Number of agenda entries that were deleted, because their batches are through the chain. Further entries may follow
   * them.
   */
  passed: number;
  /** Start of the next window; null at the end. */
  next: number | null;
}

/**
 * Ends steps that no worker holds: writes outcomes, failures and totals in one statement. If a worker held a step
 * before, its later results are refused by their epoch. If a call may have been made, the outcome is `unknown`.
 */
export interface StepEndings {
  /**
   * Ends the open steps in a window of the feed's batches: `limit` batches, beginning with batch `from`. Also ends up
   * to `limit` steps on the feed's agenda. Steps that a worker holds are skipped until their leases expire.
   */
  endOpen(
    feed: SweptFeed,
    outcome: 'expired' | 'cancelled',
    window: { from: number; limit: number },
  ): Promise<EndedSteps>;
  /**
   * Ends those of the steps that are quarantined: their outcome is `unknown`, and they are listed for a decision by a
   * person. Returns the number of ended steps.
   */
  endQuarantined(refs: readonly StepRef[]): Promise<number>;
}
