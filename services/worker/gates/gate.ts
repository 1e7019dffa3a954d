import type { Clock } from '../../../shared/ports/clock.ts';
import type { StepRef, StepResult } from '../../../shared/ports/step-ledger.ts';
import type { Admission, FeedDirectory } from '../claims/feed-directory.ts';
import type { StoppedFeeds } from '../claims/stopped-feeds.ts';
import type { HeldSteps } from '../step/held-steps.ts';
import type { QuietHours } from '../step/quiet-hours.ts';
import type { SuspectGate } from '../step/suspect-gate.ts';
import type { Work } from '../step/work.ts';

/**
 * The answer of a gate to "may this batch be called now?". Null lets the batch proceed. A result ends its users
 * (`done`) or puts the batch back until a time (`waiting`). A name is a place in this worker where the batch waits.
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
  /** In [0, 1). */
  random: () => number;
}

export interface CallDeps extends CheckDeps {
  /** One suspect at a time. */
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

/** A rule before a call. It is asked at the moments for which it has a function, with what is known then. */
export interface Gate {
  readonly name: string;
  /** The batch was claimed, and may wait here for a check or for a slot. */
  readonly claimed?: (work: Work, deps: ClaimedDeps) => Ruling<'check' | 'slot'>;
  /** Its check has a slot: the question is asked next. */
  readonly check?: (work: Work, admission: Admission, deps: CheckDeps) => Ruling | Promise<Ruling>;
  /** It has a slot: the call is made next. */
  readonly call?: (work: Work, admission: Admission, deps: CallDeps) => Ruling<'trial'> | Promise<Ruling<'trial'>>;
  /** The begin of its call was written first, which may have taken long. */
  readonly late?: (work: Work, admission: Admission, deps: CallDeps) => Ruling;
  /** True if the next step of the batch must be claimed by itself, instead of being handed on in the same flush. */
  readonly nextStep?: (work: Work, deps: NextStepDeps) => boolean;
  /**
   * True if users of the step may end without a call: its claims are written as not begun, so that a lost worker leaves
   * no doubt about them.
   */
  readonly withholds?: (step: StepRef, deps: WithholdDeps) => boolean;
}
