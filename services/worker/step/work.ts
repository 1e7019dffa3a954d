import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { feedCreatedMs } from '../../../shared/domain/ids/created-at.ts';
import { classAtAge, type ContractClass } from '../../../shared/domain/step/consequences.ts';
import type { LaneMessage } from '../../../shared/ports/message-bus.ts';
import type { FeedContext, StepHold } from '../../../shared/ports/feed-contexts.ts';
import type { ClaimedStep, StepClaim, StepResult } from '../../../shared/ports/step-ledger.ts';
import type { Refusal } from '../endpoint/read-answer.ts';
import type { RequestedUsers } from '../endpoint/user-results.ts';

/**
 * Message of a lane (a partition assigned to this worker), with the number of its references that are not handled yet.
 * At 0, the message is settled.
 */
export interface OpenMessage {
  readonly message: LaneMessage;
  open: number;
}

/** Step that a message reports as due. Only the claim shows if the step is really due. */
export interface QueuedStep extends StepClaim {
  readonly topic: string;
  /** Message that contained the step. Null if this worker found the step in the database, without a message. */
  readonly origin: OpenMessage | null;
  /** Number of users still to be served, according to the message. */
  readonly remaining: number;
  /** Users that earlier steps have lost, according to the message; null if they must be read from the database. */
  readonly lost: readonly string[] | null;
}

export interface Work extends RequestedUsers {
  readonly claim: ClaimedStep;
  readonly context: FeedContext;
  readonly standing: StepState;
  readonly topic: string;
  readonly actionType: string;
  readonly type: ActionTypeConfig;
  /**
   * Message that contained the step. Null for a child batch that this worker created, and for a step that this worker
   * found in the database.
   */
  readonly origin: OpenMessage | null;
  /** Users that earlier steps have lost. */
  readonly lost: readonly string[];
  /** Monotonic time at which the claim was requested. In the database, the lease begins at this time or later. */
  readonly claimedAtMs: number;
  /** True if the batch is a single user of a trial, for whose outcome the step waits. */
  readonly isProbe: boolean;
}

/** Returns the contract class that applies now. The class changes when the endpoint has forgotten the key. */
export function classOf({ type, claim }: Work, nowMs: number): ContractClass {
  return classAtAge(type.class, type.keyLifeSeconds, nowMs - feedCreatedMs(claim.feedId, nowMs));
}

export interface ClaimedWork {
  works: Work[];
  /** Works whose remaining users are uncertain. The worker releases them, and the next claim reads the rows again. */
  unsure: Work[];
}

export interface FinishedStep {
  work: Work;
  result: StepResult;
}

/**
 * State of one step of a feed on this worker that concerns more than a single batch. There is one object for each step
 * of a known feed.
 */
export interface StepState {
  readonly feedId: string;
  readonly step: number;
  /**
   * True if the endpoint has accepted a user of the step: it has reported results by user, or the ledger counts
   * successes.
   */
  isAccepted: boolean;
  readonly fault: KnownHold;
  readonly quietHours: KnownHold;
  readonly refusals: StepRefusals;
  /**
   * Number of the run's refused users when this worker last ended a fault. Only users that are refused later count for
   * the limit.
   */
  refusedAtLift: number;
  /**
   * Trial in progress; null if there is none. It begins when whole batches were refused and no user was accepted.
   * Single users are called first, and other batches wait.
   */
  trial: RefusalTrial | null;
}

export interface KnownHold {
  /** Hold as of the last read, with this worker's later changes; null if there is none. */
  current: Pick<StepHold, 'cause' | 'tryDue'> | null;
  /** Monotonic time at which this worker last wrote the begin or the end of the hold; infinite during the write. */
  changedAtMs: number;
}

/**
 * Refusals of one step of a run, over all its countries. All states of the step (one per country) share this object.
 */
export interface StepRefusals {
  /** Numbers of users when the ledger was last read. */
  succeeded: number;
  refused: number;
  /** Number of users refused on this worker that are not in `refused` yet. */
  refusedSince: number;
}

export interface RefusedWork {
  work: Work;
  refusal: Refusal;
}

/**
 * Trial of a step in which no user was accepted yet, to find out if the endpoint refuses the users or the parameters.
 */
export interface RefusalTrial {
  /** Result that split a batch into the single users of this trial. */
  readonly begunBy: StepResult;
  /** Number of single users to try. `probesLeft` is the number of those without an outcome. */
  readonly probes: number;
  probesLeft: number;
  readonly refusedAlone: RefusedWork[];
  /** Works that the endpoint refused as a whole during the trial. */
  readonly refused: RefusedWork[];
  /** Works that were not called during the trial, because they would only be refused as well. */
  readonly waiting: Work[];
}
