import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import type { SweptFeed } from './outbox-sweep.ts';

export interface EndedSteps {
  ended: number;
  /**
   * Number of agenda entries that were deleted because their batches are through the chain. More entries may follow
   * them.
   */
  passed: number;
  /** First batch of the next window; null if this was the last window. */
  next: number | null;
}

/**
 * Ends steps that no worker holds: writes outcomes, failures and totals in one statement. Results that a former worker
 * sends later are refused, because their epoch is outdated. If a call may have been made, the outcome is `unknown`.
 */
export interface StepEndings {
  /**
   * Ends the open steps in a window of the feed's batches: `limit` batches, beginning with batch `from`. Also ends up
   * to `limit` steps on the feed's agenda. A step that a worker holds is not ended before its lease expires.
   */
  endOpen(
    feed: SweptFeed,
    outcome: 'expired' | 'cancelled',
    window: { from: number; limit: number },
  ): Promise<EndedSteps>;
  /**
   * Ends the quarantined steps among `refs`: their outcome is `unknown`, and they are listed for a decision by a
   * person. Returns the number of ended steps.
   */
  endQuarantined(refs: readonly StepRef[]): Promise<number>;
}
