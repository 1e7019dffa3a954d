/** A step of a feed: of a run in one country. */
export interface FeedStep {
  feedId: string;
  step: number;
}

export interface HeldStep extends FeedStep {
  /** What a person has to mend, for people. */
  cause: string;
  /** Not for a person to mend: it goes on by itself so long from now. */
  endsInMs?: number | undefined;
}

/**
 * Steps in which no user is called for until a person has mended the cause: our configuration, or the run's parameters.
 * No user fails by it, and neighbours do not notice.
 */
export interface StepHolds {
  /**
   * Holds the steps. Where one is held already, the batch is counted, the cause is the newest, and since when stays.
   * One that ends by itself is tried when it ends, by what was said last.
   */
  hold(held: readonly HeldStep[]): Promise<void>;
  /**
   * True for one asker at most every `everyMs`, the first time `tryHeldEveryMs` after the hold began: it may send one
   * batch.
   */
  mayTry(ref: FeedStep, everyMs: number): Promise<boolean>;
  /** The try succeeded: the hold goes, and what waits in the step is due now. No effect where there is no hold. */
  lift(ref: FeedStep): Promise<void>;
}
