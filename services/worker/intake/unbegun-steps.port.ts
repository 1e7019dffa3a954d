import type { StepRef } from '../../../shared/ports/step-ledger.ts';

export interface FeedWindow {
  feedId: string;
  chainLength: number;
  /** Number of the first batch of the window; the feed's mark applies if it is higher. */
  from: number;
}

export interface UnbegunStep extends StepRef {
  /** Users still to be served. */
  remaining: number;
  /** True for the step with which the batches of the feed begin: no user was lost before that step. */
  isFirst: boolean;
}

export interface UnbegunInFeed {
  feedId: string;
  steps: UnbegunStep[];
  /** Batch at which the next window begins; null after the last batch that was fed. */
  next: number | null;
}

export interface UnbegunSteps {
  /**
   * Finds steps of fed batches that are due and that no worker has claimed, whichever worker has their references; at
   * most `stepsPerFeed` of each feed. Steps on the agenda are left to the agenda. Feeds whose run does not continue are
   * omitted.
   */
  find(windows: readonly FeedWindow[], stepsPerFeed: number): Promise<UnbegunInFeed[]>;
}
