import type { StepRef } from '../../../shared/ports/step-ledger.ts';

/** A part of a feed's batches that is looked through. */
export interface FeedWindow {
  feedId: string;
  chainLength: number;
  /** Number of the first batch; the feed's mark where that is higher. */
  from: number;
}

export interface UnbegunStep extends StepRef {
  /** Users still to be served. */
  remaining: number;
  /** The step that its feed's batches begin with: no user was lost before it. */
  isFirst: boolean;
}

export interface UnbegunInFeed {
  feedId: string;
  steps: UnbegunStep[];
  /** Where the window goes on; null at the last batch that was fed. */
  next: number | null;
}

export interface UnbegunSteps {
  /**
   * Steps of fed batches that can be done and that no worker has claimed, whichever has their references, and of each
   * feed at most so many. Steps on the agenda are left to it. A feed whose run does not go on is left out.
   */
  find(windows: readonly FeedWindow[], stepsPerFeed: number): Promise<UnbegunInFeed[]>;
}
