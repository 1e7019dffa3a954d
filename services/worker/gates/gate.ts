import type { Clock } from '../../../shared/ports/clock.ts';
import type { StepRef, StepResult } from '../../../shared/ports/step-ledger.ts';
import type { Admission, FeedDirectory } from '../claims/feed-directory.ts';
import type { StoppedFeeds } from '../claims/stopped-feeds.ts';
import type { HeldSteps } from '../step/held-steps.ts';
import type { QuietHours } from '../step/quiet-hours.ts';
import type { SuspectGate } from '../step/suspect-gate.ts';
import type { Work } from '../step/work.ts';

/**
 * Decision of a gate about a batch. Null lets the batch proceed to the next gate. A result either ends the users of the
 * batch (`done`), or makes the batch wait until a time (`waiting`). A string is the place in this worker where the
 * batch waits.
 */
export type Ruling<Place extends string = never> = StepResult | Place | null;

export interface ClaimedDeps {
  stops: Pick<StoppedFeeds, 'onClaimed'>;
}

export interface CheckDeps {
  heldSteps: HeldSteps;
  quietHours: Pick<QuietHours, 'of'>;
  clock: Clock;
  leaseMs: number;
  /** Random number in [0, 1). */
  random: () => number;
}

export interface CallDeps extends CheckDeps {
  suspects: SuspectGate;
}

export interface NextStepDeps {
  directory: Pick<FeedDirectory, 'unitsPerUser' | 'standingOf' | 'checkOf'>;
  stops: Pick<StoppedFeeds, 'isStopped'>;
  quietHours: Pick<QuietHours, 'of'>;
}

export interface WithholdDeps {
  directory: Pick<FeedDirectory, 'actionTypeOf' | 'checkOf' | 'contextOf'>;
  quietHours: Pick<QuietHours, 'isEmpty' | 'of'>;
}

/**
 * Rule that a batch must pass before its call. A gate is evaluated at each moment for which it has a function, with the
 * facts that are known then.
 */
export interface Gate {
  readonly name: string;
  /** Decides after the claim. The batch may wait here for a check or for a slot. */
  readonly claimed?: (work: Work, deps: ClaimedDeps) => Ruling<'check' | 'slot'>;
  /** Decides once the batch's check has a slot, right before the check is requested. */
  readonly check?: (work: Work, admission: Admission, deps: CheckDeps) => Ruling | Promise<Ruling>;
  /** Decides once the batch has a slot, right before its call. */
  readonly call?: (work: Work, admission: Admission, deps: CallDeps) => Ruling<'trial'> | Promise<Ruling<'trial'>>;
  /** Decides after the begin of the call was written, because the write may have taken long. */
  readonly late?: (work: Work, admission: Admission, deps: CallDeps) => Ruling;
  /**
   * Returns true if the next step must be claimed by another flush, and not together with the recording of this step.
   */
  readonly nextStep?: (work: Work, deps: NextStepDeps) => boolean;
  /**
   * Returns true if users of the step may end without a call. The step is then claimed as not begun. If the worker is
   * lost, it is then certain that no call was made.
   */
  readonly withholds?: (step: StepRef, deps: WithholdDeps) => boolean;
}
