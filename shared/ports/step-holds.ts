import type { HoldKind } from '../domain/step/holds.ts';

/** A step of a feed: of a run in one country. */
export interface FeedStep {
  feedId: string;
  step: number;
}

export type HeldStep = FeedStep & {
  /** For people: what has to be mended, or which hours are quiet. */
  cause: string;
} & (
    | { kind: 'fault' }
    /** @param endsInMs time from now after which the step goes on by itself */
    | { kind: 'quiet-hours'; endsInMs: number }
  );

/**
 * Steps in which no user is called: a person has to mend a fault of our configuration or the run's parameters first, or
 * the hours are quiet. No user fails by it, and neighbours do not notice. Holds of different kinds are independent of
 * each other.
 */
export interface StepHolds {
  /**
   * Holds the steps. If a step is held already by the same kind, the batch is counted, the cause is the newest, and the
   * beginning stays. The end of quiet hours is the newest too. Quiet hours that had ended begin anew, although no batch
   * has lifted their hold.
   */
  hold(held: readonly HeldStep[]): Promise<void>;
  /**
   * Returns true for one caller at most every `everyMs`, the first time `tryHeldEveryMs` after the fault began: that
   * caller may send one batch. False if the step has no fault.
   */
  mayTry(ref: FeedStep, everyMs: number): Promise<boolean>;
  /** Ends the hold of this kind: what waits in the step is due now. No effect if there is none. */
  lift(ref: FeedStep, kind: HoldKind): Promise<void>;
}
