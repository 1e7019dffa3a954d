import type { StepRef } from '../../../shared/ports/step-ledger.ts';

export interface FeedWindow {
  feedId: string;
  chainLength: number;
  /** Number of the first batch of the window. If the feed's mark is higher, the window begins at the mark. */
  from: number;
}

export interface UnstartedStep extends StepRef {
  /** Number of users still to be served in the step. */
  remaining: number;
  /** True for the first step of the feed's batches, before which no user can be lost. */
  isFirst: boolean;
}

export interface UnstartedInFeed {
  feedId: string;
  steps: UnstartedStep[];
  /** First batch of the next window; null if this window contains the last batch that was fed. */
  next: number | null;
}

export interface UnstartedSteps {
  /**
   * Finds due steps of fed batches that no worker has claimed, at most `stepsPerFeed` of each feed, whichever worker
   * has their references. Steps on the agenda are not returned; the sweeper offers them. Feeds whose run does not
   * continue are omitted.
   */
  find(windows: readonly FeedWindow[], stepsPerFeed: number): Promise<UnstartedInFeed[]>;
}
