import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import { feedBornMs } from '../../../shared/domain/ids/born-at.ts';
import { classAtAge, type ContractClass } from '../../../shared/domain/step/consequences.ts';
import type { LaneMessage } from '../../../shared/ports/message-bus.ts';
import type { FeedContext, StepHold } from '../../../shared/ports/feed-contexts.ts';
import type { ClaimedStep, StepClaim, StepResult } from '../../../shared/ports/step-ledger.ts';
import type { Refusal } from '../endpoint/read-answer.ts';
import type { AskedUsers } from '../endpoint/user-results.ts';

/** A message of a lane and how many of its references are not handled yet; at none, it is settled. */
export interface OpenMessage {
  readonly message: LaneMessage;
  open: number;
}

/** A step that the topic says is to be done; whether it is, the claim tells. */
export interface QueuedStep extends StepClaim {
  /** The shard's. */
  readonly topic: string;
  /** Null for one that was found unbegun: no message of this worker stands for it. */
  readonly origin: OpenMessage | null;
  /** Users still to be served, as the message says. */
  readonly remaining: number;
  /** Users that the chain has lost before this step, as the message says; null where they have to be read. */
  readonly lost: readonly string[] | null;
}

/** A claimed step with all that is needed to call its endpoint. */
export interface Work extends AskedUsers {
  readonly claim: ClaimedStep;
  readonly context: FeedContext;
  readonly standing: StepStanding;
  /** The shard's topic. */
  readonly topic: string;
  readonly actionType: string;
  readonly type: ActionTypeConfig;
  /** Null for a child batch that was born here, or a step that was found unbegun: no message stands for it. */
  readonly origin: OpenMessage | null;
  /** Users that the chain has lost before this step. */
  readonly lost: readonly string[];
  /** When the claim was asked for, by the clock's `monotonicMs`: the lease cannot have begun earlier. */
  readonly claimedAtMs: number;
  /** One user, tried alone: the step's trial waits for what becomes of it. */
  readonly isProbe: boolean;
}

/** Returns the class that counts at this time: an endpoint forgets its keys after a while. */
export function classOf({ type, claim }: Work, nowMs: number): ContractClass {
  return classAtAge(type.class, type.keyLifeSeconds, nowMs - feedBornMs(claim.feedId, nowMs));
}

/** Steps that this worker owns. */
export interface ClaimedWork {
  works: Work[];
  /** Users that are left are not sure. It is given back, and its next claim reads the rows. */
  unsure: Work[];
}

/** A step with the result that is to be recorded, or was. */
export interface FinishedStep {
  work: Work;
  result: StepResult;
}

/**
 * What this worker knows of one step of a feed, beyond its single batches. One object for as long as the feed is known.
 */
export interface StepStanding {
  readonly feedId: string;
  readonly step: number;
  /** A user was accepted in it: an answer spoke of the users, or the ledger counts successes. */
  isAccepted: boolean;
  /** A person has to mend it. */
  readonly fault: KnownHold;
  /** Batches wait for the end of quiet hours. */
  readonly quietHours: KnownHold;
  readonly refusals: StepRefusals;
  /** Refused users of the run when a fault ended here last: only those after it count against the limit. */
  refusedAtLift: number;
  /** Whole batches were refused while no user was accepted: single users are tried alone, and everybody else waits. */
  trial: RefusalTrial | null;
}

/** A hold of one kind, as this worker knows it. */
export interface KnownHold {
  /** The last look's, or what was learned here since; null while there is none. */
  current: Pick<StepHold, 'cause' | 'tryDue'> | null;
  /**
   * Time at which its beginning or end was written here last, by the clock's `monotonicMs`; infinite while it is being
   * written.
   */
  changedAtMs: number;
}

/** Of one step of a run, over all of its countries: all standings of the step share it. */
export interface StepRefusals {
  /** Users, as the ledger counted them last. */
  succeeded: number;
  refused: number;
  /** Users refused here that are not in `refused`. */
  refusedSince: number;
}

export interface RefusedWork {
  work: Work;
  refusal: Refusal;
}

/** Batches were refused in a step in which no user was ever accepted: is it the people, or the parameters? */
export interface RefusalTrial {
  /** The split that made the single users. */
  readonly begunBy: StepResult;
  /** Single users that are tried, and how many of them are not through yet. */
  readonly probes: number;
  probesLeft: number;
  readonly refusedAlone: RefusedWork[];
  /** Refused as a whole while the trial ran. */
  readonly refused: RefusedWork[];
  /** Not called: they would only be refused as well. */
  readonly parked: Work[];
}
