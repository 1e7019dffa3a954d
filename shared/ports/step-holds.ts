import type { HoldKind } from '../domain/step/holds.ts';

export interface FeedStep {
  feedId: string;
  step: number;
}

export type HeldStep = FeedStep & {
  /** Cause of the hold as a text for people: the fault to fix, or the quiet hours. */
  cause: string;
} & (
    | { kind: 'fault' }
    /** @param endsInMs time from now after which the step continues by itself */
    | { kind: 'quiet-hours'; endsInMs: number }
  );

/**
 * Held steps, in which no user is called: a person must first fix our configuration or the run's parameters, or quiet
 * hours must end. No user fails because of a hold, and other steps are unaffected. Holds of different kinds are
 * independent of each other.
 */
export interface StepHolds {
  /**
   * Holds the steps. If the same kind of hold exists, the batch is counted, the cause is replaced, and the beginning
   * stays. The end of quiet hours is replaced too. If quiet hours had ended, they begin anew, even if no batch has
   * lifted their hold.
   */
  hold(held: readonly HeldStep[]): Promise<void>;
  /**
   * Returns true if the caller may send one batch as a trial: one caller every `everyMs`, and none before
   * `tryHeldEveryMs` have passed since the fault began. Returns false if the step has no fault.
   */
  mayTry(ref: FeedStep, everyMs: number): Promise<boolean>;
  /** Ends the hold of this kind: batches that wait in the step are due now. No effect if there is none. */
  lift(ref: FeedStep, kind: HoldKind): Promise<void>;
}
