import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import type { SweptFeed } from './outbox-sweep.ts';

export interface EndedSteps {
  ended: number;
  /** Entries of the agenda that were through the chain, and were taken off it: others may lie behind them. */
  passed: number;
  /** Where the window goes on; null at its end. */
  next: number | null;
}

/**
 * Ends steps without a worker: outcomes, failures and totals in one statement, a worker that held the step before is
 * refused by its epoch. What a call may have been made for ends as `unknown`.
 */
export interface StepEndings {
  /**
   * Of a window of the feed's open batches, `limit` from `from` on, and of as many on its agenda that no worker holds:
   * ends what waits, what no worker holds any more and what no worker has claimed yet. What a worker holds is left
   * until its lease has run out.
   */
  endOpen(
    feed: SweptFeed,
    outcome: 'expired' | 'cancelled',
    window: { from: number; limit: number },
  ): Promise<EndedSteps>;
  /**
   * Ends steps that are quarantined as `unknown`, and lists them for people; others are left alone. Returns how many
   * ended.
   */
  endQuarantined(refs: readonly StepRef[]): Promise<number>;
}
