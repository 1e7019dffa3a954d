import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
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

/** Step that a message names as due; the claim shows whether it is. */
export interface QueuedStep extends StepClaim {
  readonly topic: string;
  /** Null if the worker found the step unbegun: then no message of this worker names it. */
  readonly origin: OpenMessage | null;
  /** Users still to be served, by the message. */
  readonly remaining: number;
  /** Users that the chain has lost before this step, by the message; null if they must be read. */
  readonly lost: readonly string[] | null;
}

export interface Work extends RequestedUsers {
  readonly claim: ClaimedStep;
  readonly context: FeedContext;
  readonly standing: StepStanding;
  readonly topic: string;
  readonly actionType: string;
  readonly type: ActionTypeConfig;
  /** Null for a child batch created here, or a step found unbegun: no message names it. */
  readonly origin: OpenMessage | null;
  /** Users that the chain has lost before this step. */
  readonly lost: readonly string[];
  /** Monotonic time of the claim request: the lease cannot have begun earlier. */
  readonly claimedAtMs: number;
  /** True for a single user who is tried alone: the step's trial waits for the outcome. */
  readonly isProbe: boolean;
}

/** Returns the contract class that applies now: an endpoint forgets its keys after a while. */
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
 * State of one step of a feed on this worker, beyond single batches. One object exists for as long as the feed is
 * known.
 */
export interface StepStanding {
  readonly feedId: string;
  readonly step: number;
  /** True if a user was accepted in the step: an answer named users, or the ledger counts successes. */
  isAccepted: boolean;
  readonly fault: KnownHold;
  readonly quietHours: KnownHold;
  readonly refusals: StepRefusals;
  /** Refused users of the run when a fault ended here last: only later ones count against the limit. */
  refusedAtLift: number;
  /** Trial after whole batches were refused and no user accepted: single users are called first, others wait. */
  trial: RefusalTrial | null;
}

export interface KnownHold {
  /** State of the last read, or learned here since; null if there is no hold. */
  current: Pick<StepHold, 'cause' | 'tryDue'> | null;
  /** Monotonic time at which its beginning or end was written here last; infinite during the write. */
  changedAtMs: number;
}

/** Refusals of one step of a run, over all of its countries: all standings of the step share the object. */
export interface StepRefusals {
  /** Users by the ledger's last count. */
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
