import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { feedBornMs } from '../../../shared/domain/ids/born-at.ts';
import { classAtAge, type ContractClass } from '../../../shared/domain/step/consequences.ts';
import type { LaneMessage } from '../../../shared/ports/message-bus.ts';
import type { FeedContext, StepHold } from '../../../shared/ports/feed-contexts.ts';
import type { ClaimedStep, StepClaim, StepResult } from '../../../shared/ports/step-ledger.ts';
import type { Refusal } from '../endpoint/read-answer.ts';
import type { RequestedUsers } from '../endpoint/user-results.ts';

/** Message of a lane, with the number of its references that are not handled yet; at 0 the message is settled. */
export interface OpenMessage {
  readonly message: LaneMessage;
  open: number;
}

/** Step that a message names as due. The claim shows whether the step really is due. */
export interface QueuedStep extends StepClaim {
  readonly topic: string;
  /** Null if this worker found the step unbegun in the database, without a message that names it. */
  readonly origin: OpenMessage | null;
  /** Number of users still to be served, according to the message. */
  readonly remaining: number;
  /** Users that the chain has lost before this step, according to the message; null if they must be read. */
  readonly lost: readonly string[] | null;
}

export interface Work extends RequestedUsers {
  readonly claim: ClaimedStep;
  readonly context: FeedContext;
  readonly standing: StepState;
  readonly topic: string;
  readonly actionType: string;
  readonly type: ActionTypeConfig;
  /** Null for a child batch created here, or for a step found unbegun: no message names such a step. */
  readonly origin: OpenMessage | null;
  /** Users that the chain has lost before this step. */
  readonly lost: readonly string[];
  /** Monotonic time of the claim request: the lease cannot have begun earlier. */
  readonly claimedAtMs: number;
  /** True for a single user who is tried alone: the step's trial waits for the outcome. */
  readonly isProbe: boolean;
}

/** Returns the contract class that applies now. The class changes once the endpoint has forgotten the key. */
export function classOf({ type, claim }: Work, nowMs: number): ContractClass {
  return classAtAge(type.class, type.keyLifeSeconds, nowMs - feedBornMs(claim.feedId, nowMs));
}

export interface ClaimedWork {
  works: Work[];
  /** Works whose remaining users are uncertain. The worker releases them, and their next claim reads the rows. */
  unsure: Work[];
}

export interface FinishedStep {
  work: Work;
  result: StepResult;
}

/**
 * State of one step of a feed on this worker, as far as it concerns more than a single batch. One object exists for as
 * long as the feed is known.
 */
export interface StepState {
  readonly feedId: string;
  readonly step: number;
  /** True if a user was accepted in the step: an answer named users, or the ledger counts successes. */
  isAccepted: boolean;
  readonly fault: KnownHold;
  readonly quietHours: KnownHold;
  readonly refusals: StepRefusals;
  /**
   * Number of the run's refused users when this worker last lifted a fault. Only users that are refused later count
   * against the limit.
   */
  refusedAtLift: number;
  /**
   * Trial after whole batches were refused and no user accepted: single users are called first, and other batches wait.
   */
  trial: RefusalTrial | null;
}

export interface KnownHold {
  /** Hold according to the last read or to this worker's later changes; null if there is none. */
  current: Pick<StepHold, 'cause' | 'tryDue'> | null;
  /** Monotonic time at which this worker last wrote the begin or the end of the hold; infinite during the write. */
  changedAtMs: number;
}

/** Refusals of one step of a run, over all of its countries: all standings of the step share the object. */
export interface StepRefusals {
  /** Numbers of users at the ledger's last count. */
  succeeded: number;
  refused: number;
  /** Users refused here that are not in `refused`. */
  refusedSince: number;
}

export interface RefusedWork {
  work: Work;
  refusal: Refusal;
}

/** Trial of a step without any accepted user, to find out whether users or parameters are refused. */
export interface RefusalTrial {
  /** Split that created the single users. */
  readonly begunBy: StepResult;
  /** Number of single users to try, and how many of them have no outcome yet. */
  readonly probes: number;
  probesLeft: number;
  readonly refusedAlone: RefusedWork[];
  /** Works refused as a whole during the trial. */
  readonly refused: RefusedWork[];
  /** Works not called, because they would only be refused as well. */
  readonly parked: Work[];
}
