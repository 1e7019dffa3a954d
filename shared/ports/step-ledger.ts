import type { OwnOutcome } from '../domain/step/outcomes.ts';
import type { CappedUser } from '../domain/step/caps.ts';
import type { SuppressedUser } from '../domain/step/suppressions.ts';
import type { UsersText } from '../domain/step/users-text.ts';

export interface StepRef {
  feedId: string;
  batchNo: number;
  step: number;
}

/** A step to claim. If the claim gives the remaining users, the ledger compares them with the rows. */
export interface StepClaim extends StepRef {
  remaining?: number;
  /** Digest by `digestOfLost` of the users that the chain has lost before this step. */
  lostDigest?: string | null | undefined;
}

/** A claim that the rows contradict: its message was not made by this installation. */
export interface Contradiction extends StepRef {
  /** Values in the rows. Null if the step cannot be due: no such batch, or no survivors of the previous step. */
  truth: { remaining: number; lostDigest: string | null } | null;
}

/** A step of a batch that this worker owns until its lease ends or another worker takes it over with a higher epoch. */
export interface ClaimedStep extends StepRef {
  epoch: number;
  /** Calls answered before this claim: `maxAttempts` limits their number. A claim without a call does not count. */
  attempts: number;
  /** True if a call under this step's key may have been applied, and no complete answer was read since. */
  open: boolean;
  /**
   * True if the step waited for its full delay. False if the worker took over an expired lease: the ledger does not
   * know when that lease ended.
   */
  waited: boolean;
  /**
   * Expired leases under which a call had begun, or may have. If there are any, or if this is `noneBegun`, `begins`
   * must name the next call.
   */
  lapses: number;
  /** All users of the batch as they were fed, including those lost earlier in the chain. */
  users: UsersText;
  size: number;
  /**
   * Number of users that the campaign's budget still covers, if fewer than all. The worker must split them off before
   * any call.
   */
  fits?: number;
  /** Users on a suppression list, among all users of the batch. The worker must split them off before any call. */
  suppressed?: readonly SuppressedUser[];
  /** Users that have reached a cap. The worker must split them off before any call. */
  capped?: readonly CappedUser[];
  /** State of the check. Only a step that is `checked` has it: the worker must run the check before it makes a call. */
  check?: {
    /** Number of checks of this batch that returned no answer. */
    readonly tries: number;
  };
}

/** Budget units that a user costs in each step, by feed. Omits feeds whose campaign has no budget in their country. */
export type UnitsPerUser = ReadonlyMap<string, readonly number[]>;

export interface UserFailure {
  user: string;
  outcome: OwnOutcome;
  reason: string;
  detail: string | null;
}

/** Users of a batch that continue as a batch of their own: for a retry, or as one part of a refused batch. */
export interface ChildBatch {
  users: readonly string[];
  /** Milliseconds from now, by the database's clock. */
  delayMs: number;
  /** Answered calls so far for these users. */
  attempts: number;
  /** True if a call for these users may have been applied without a complete answer. */
  open: boolean;
  /**
   * True if the worker continues with the child batch at once. The batch is created running, owned by the worker that
   * flushes, and returned in `children`. The delay is ignored.
   */
  claim: boolean;
}

/**
 * Answer of a call, or a missing answer of the step's check (`unchecked`). Kept to explain the history of a user. Only
 * steps that wait again or have children need a note: for other steps, outcome and failures suffice.
 */
export interface AttemptNote {
  reading: 'reported' | 'missing' | 'refused' | 'misconfigured' | 'not-applied' | 'ambiguous' | 'unchecked';
  /** Cause as a text for people; null if the users have causes of their own. */
  cause: string | null;
  users: readonly ReportedUsers[];
}

export interface ReportedUsers {
  code: string;
  detail: string | null;
  users: readonly string[];
}

/** Result of a finished step. Users in no list had the outcome `rest`. */
export interface StepDone extends StepRef {
  state: 'done';
  epoch: number;
  rest: 'succeeded' | 'expired' | 'cancelled';
  restUsers: number;
  /** Digest (`digestOfLost`) of all users lost up to and including this step; null in the chain's last step. */
  lostDigest: string | null;
  failures: readonly UserFailure[];
  /** Answered calls, the last call included; stored with the failures. */
  attempts: number;
  /** Number of failures that came from a refusal of the whole batch. */
  refused: number;
  children: readonly ChildBatch[];
  note?: AttemptNote;
}

/** Result of a step to send again as a whole, with the same key, by the worker that claims it when it is due. */
export interface StepWaiting extends StepRef {
  state: 'waiting';
  epoch: number;
  delayMs: number;
  /** True if the key is still open, as in `ClaimedStep`; a complete answer closes it. */
  open: boolean;
  /** True if a complete answer was read: one attempt is used up. */
  answered: boolean;
  /** Reason for waiting, for people: shown as the run's stall. Null if the step was merely released. */
  cause: string | null;
  /** True if the step waits for the end of its hold. If the hold was lifted meanwhile, the step is due in a moment. */
  whileHeld?: true;
  note?: AttemptNote;
}

export type StepResult = StepDone | StepWaiting;

export interface LedgerFlush {
  results: readonly StepResult[];
  claims: readonly StepClaim[];
  /**
   * Claimed steps with `lapses` whose call is about to begin. If their lease expires again, the call is known to have
   * begun.
   */
  begins: readonly StepBegin[];
  /**
   * Finished results whose next step this worker continues with at once. The ledger claims the next step as it records
   * the result, if a user succeeded. Not for feeds with a budget.
   */
  handOn?: ReadonlySet<StepResult> | undefined;
  /**
   * Milliseconds within which this worker times child batches and waiting steps itself. These steps are returned in
   * `timed`, and the worker claims them when they are due. If it does not, the agenda offers them after this time once
   * more. Undefined means that the worker times nothing.
   */
  timedWithinMs?: number | undefined;
  /** Action type, for its suppression lists and caps. If undefined, only the list of all types applies. */
  actionTypeOf?: ((step: StepRef) => string | undefined) | undefined;
  /** Returns true for steps that have a check; if undefined, none has. */
  checked?: ((step: StepRef) => boolean) | undefined;
  /** Country of a feed, for caps that count calendar days. If undefined, days are those of UTC. */
  countryOf?: ((feedId: string) => string | undefined) | undefined;
  /** Units of the feeds of these results and claims; if undefined, no feed has a budget. */
  unitsPerUser?: UnitsPerUser | undefined;
}

export interface StepBegin extends StepRef {
  epoch: number;
}

export interface LedgerFlushed {
  /**
   * Results that this worker still owned, by epoch, now or in an earlier flush whose answer was lost: a repeat counts
   * once. Other workers took over the remaining results, of which nothing was written.
   */
  recorded: StepResult[];
  /**
   * Claims that succeeded. Other steps are done, owned by another worker, not due, or quarantined. Or the previous step
   * is not done or has no survivors, or there is no such batch. Or the campaign's budget does not suffice: those steps
   * wait again.
   */
  claimed: ClaimedStep[];
  /**
   * Claims whose budget, or whose country's caps, were locked by another transaction. The flush skipped them instead
   * of waiting; the worker must repeat them.
   */
  busy: StepRef[];
  contradicted: Contradiction[];
  /**
   * Claims of the children with `claim`, with the result that created the children. If the answer to an earlier flush
   * was lost, that flush may have recorded the result. Its children are then missing here, and wait until their leases
   * expire.
   */
  children: ClaimedChildren[];
  created: CreatedChild[];
  /**
   * Results in `handOn` whose next step this worker now owns, in its first epoch. Missing if an earlier flush whose
   * answer was lost recorded the result: that step waits for its lease to expire.
   */
  handedOn: StepDone[];
  /**
   * Steps that this worker must claim when they are due. Missing if an earlier flush whose answer was lost recorded
   * them: the agenda offers those.
   */
  timed: TimedStep[];
  /** Begins whose steps this worker still owns. For other steps, the worker must not make the call. */
  begun: StepBegin[];
  /** Entries that the store will never accept, separated from the rest: a bug on our side. A repeat does not help. */
  refused: RefusedStep[];
}

export interface CreatedChild {
  child: ChildBatch;
  batchNo: number;
  result: StepDone;
}

export interface ClaimedChildren {
  result: StepDone;
  claims: ClaimedStep[];
}

export interface TimedStep extends StepRef {
  result: StepResult;
  /** Milliseconds from the flush on. */
  dueInMs: number;
  /** Number of users of a child; null if the users are those of the result. */
  users: number | null;
}

export interface RefusedStep {
  step: StepResult | StepRef;
  error: Error;
}

/** Steps of batches: the record of completed work. One row per (feed, batch, step), created by its claim. */
export interface StepLedger {
  /**
   * Records finished steps and claims new ones, in one transaction: outcomes, failures, child batches and totals are
   * written as a whole or not at all. (Only if an entry is refused, the rest goes in several transactions.) Claims last
   * `leaseMs` by the database's clock. A claim of a step that is recorded in the same flush is skipped. Throws if the
   * store cannot be reached; the same flush may then be repeated.
   *
   * A step that costs units is claimed only after they are reserved for the whole batch. A budget that another
   * transaction has locked delays no flush. The units stay reserved, whichever worker takes the step over, until it is
   * known which calls were applied. Units of calls that were certainly not applied are released with the recording.
   * Users that continue as a child batch and may have been applied keep their units.
   *
   * The claim reports users on a suppression list of the step's action type, and no call of it counts as begun. A user
   * who was listed before the flush began is therefore found, and a worker that is lost then leaves no doubt. A step
   * whose key is open is not looked up: an earlier call is settled by the bytes that it began with. A step of an action
   * type with a list is not handed on.
   *
   * A step of an action type with a cap is claimed only after an effect is reserved for each of its users that has not
   * reached the cap; the claim reports the others. Caps are followed as lists are. The effects stay reserved until it
   * is known which calls were applied; from then on, only users that were or may have been served count.
   *
   * No call of a claimed step that is `checked` counts as begun before `begins` names it. A step whose key is open is
   * not checked.
   *
   * Taking over an expired lease counts a lapse and leaves the key open, unless it is known that the call had not
   * begun. After six lapses a step is quarantined: no worker claims it any more.
   */
  flush(flush: LedgerFlush): Promise<LedgerFlushed>;
  /**
   * Returns, in the order of the refs, the users who did not succeed in an earlier step or continued in a child batch.
   */
  lostUsers(refs: readonly StepRef[]): Promise<string[][]>;
}
