import type { OwnOutcome } from '../domain/step/outcomes.ts';
import type { SuppressedUser } from '../domain/step/suppressions.ts';
import type { UsersText } from '../domain/step/users-text.ts';

export interface StepRef {
  feedId: string;
  batchNo: number;
  step: number;
}

/** A step to be claimed. What is said of who is left in it is compared with the rows, as far as it is said. */
export interface StepClaim extends StepRef {
  /** Users still to be served. */
  remaining?: number;
  /** Of those whom the chain has lost before this step (`digestOfLost`). */
  lostDigest?: string | null | undefined;
}

/** The rows say something else than the claim: what it was made from is not of this installation's making. */
export interface Contradiction extends StepRef {
  /** What the rows say; null where the step cannot be due: no such batch, or no survivor of the step before. */
  truth: { remaining: number; lostDigest: string | null } | null;
}

/** A step of a batch that this worker owns until its lease ends or another worker takes it over with a higher epoch. */
export interface ClaimedStep extends StepRef {
  epoch: number;
  /** Calls answered before this claim: what `maxAttempts` bounds. A claim that never called is none. */
  attempts: number;
  /** A call under this step's key may have been applied, and no whole answer was read since. */
  open: boolean;
  /**
   * It was put back, and has waited as long as it was asked to. False where a lapsed lease was taken over: when that
   * ended is unknown.
   */
  waited: boolean;
  /**
   * Leases that lapsed with a call begun, or perhaps begun. Where there are any, `begins` has to name the next call;
   * and where it is `noneBegun`.
   */
  lapses: number;
  /** All users of the batch as they were fed, those lost earlier in the chain included. */
  users: UsersText;
  /** How many they are. */
  size: number;
  /**
   * Its campaign's budget is left for no more than so many of its users: they are to be split off, and no call is made
   * before that.
   */
  fits?: number;
  /**
   * Of all users of the batch, those on a suppression list of its action type: they are to be split off, and no call is
   * made before that.
   */
  suppressed?: readonly SuppressedUser[];
  /** Its step is `checked`: the check is to be asked, and no call is made before that. */
  check?: {
    /** How often it gave no answer for this batch. */
    readonly tries: number;
  };
}

/**
 * Units of its campaign's budget that a user costs in each step of the chain, by feed. Feeds whose campaign has none in
 * their country are not in it.
 */
export type UnitsPerUser = ReadonlyMap<string, readonly number[]>;

export interface UserFailure {
  user: string;
  outcome: OwnOutcome;
  reason: string;
  detail: string | null;
}

/** Users of a batch that go on by themselves: to be retried, or one part of a refused batch. */
export interface ChildBatch {
  users: readonly string[];
  /** From now, by the database's clock. */
  delayMs: number;
  /** Answered calls so far for these users. */
  attempts: number;
  /** Whether a call for these users may have been applied without an answer being read. */
  open: boolean;
  /**
   * The worker goes on with it at once: it is born running, owned by the worker that flushes, and comes back in
   * `children`. The delay is void.
   */
  claim: boolean;
}

/**
 * What a call was answered, or that the step's check gave no answer (`unchecked`): kept for the question what became of
 * a user. Only steps that are put back or have children need one: of the others, outcome and failures tell.
 */
export interface AttemptNote {
  reading: 'reported' | 'missing' | 'refused' | 'misconfigured' | 'not-applied' | 'ambiguous' | 'unchecked';
  /** For people; null where the users have their own. */
  cause: string | null;
  /** What was said of users that go on, by code and message. */
  users: readonly ReportedUsers[];
}

export interface ReportedUsers {
  code: string;
  detail: string | null;
  users: readonly string[];
}

/** What became of a claimed step. Users that are in no list had the outcome `rest`. */
export interface StepDone extends StepRef {
  state: 'done';
  epoch: number;
  rest: 'succeeded' | 'expired' | 'cancelled';
  /** How many users had `rest`. */
  restUsers: number;
  /** Of all whom the chain has lost by now, in this step and before it (`digestOfLost`); null in its last step. */
  lostDigest: string | null;
  failures: readonly UserFailure[];
  /** Answered calls, the last one included: written with the failures. */
  attempts: number;
  /** How many of the failures came of a refusal of the whole batch. */
  refused: number;
  children: readonly ChildBatch[];
  note?: AttemptNote;
}

/** The whole step is to be sent again, with the same key, by the worker that claims it when it is due. */
export interface StepWaiting extends StepRef {
  state: 'waiting';
  epoch: number;
  delayMs: number;
  /** As in `ClaimedStep`, from now on: a whole answer closes the key. */
  open: boolean;
  /** A whole answer was read: one attempt is used up. */
  answered: boolean;
  /** What it waits for, for people: shown as the run's stall. Null when it was merely released. */
  cause: string | null;
  /** It waits for the end of its step's hold: where that was lifted meanwhile, it is due in a moment. */
  whileHeld?: true;
  note?: AttemptNote;
}

export type StepResult = StepDone | StepWaiting;

export interface LedgerFlush {
  results: readonly StepResult[];
  claims: readonly StepClaim[];
  /**
   * Claimed steps with `lapses` whose call is about to begin: should their lease lapse again, it is known that there
   * was a call.
   */
  begins: readonly StepBegin[];
  /**
   * Of the results that are done, those whose next step this worker does at once: it is claimed with the recording,
   * where a user succeeded. Not of feeds with a budget.
   */
  handOn?: ReadonlySet<StepResult> | undefined;
  /**
   * Children and put-backs that are due within this time are timed by this worker: they come back in `timed`, and it
   * claims them when they are due. The agenda offers them as long again after that. Nothing is timed when absent.
   */
  timedWithinMs?: number | undefined;
  /** Whose suppression lists are asked, of claims and of what is handed on; the one of all types alone when absent. */
  actionTypeOf?: ((step: StepRef) => string | undefined) | undefined;
  /** Steps that have a check; none when absent. */
  checked?: ((step: StepRef) => boolean) | undefined;
  /** Of the feeds of these results and claims; none has a budget when absent. */
  unitsPerUser?: UnitsPerUser | undefined;
}

export interface StepBegin extends StepRef {
  epoch: number;
}

export interface LedgerFlushed {
  /**
   * Those of the results that were still ours, by epoch, now or in an earlier flush whose answer was lost: a repeat
   * counts once. The others were taken over: nothing of them was written.
   */
  recorded: StepResult[];
  /**
   * Those of the claims that are ours now. The others are done, owned by another, not due, quarantined, or their step
   * has not come: the one before is not done, has no survivors, or there is no such batch. Or their campaign's budget
   * does not suffice: those were put back.
   */
  claimed: ClaimedStep[];
  /**
   * Claims that cost units and whose budget was locked by another at that moment: nothing was done about them, and
   * nothing waited for it. They are to be made again.
   */
  busy: StepRef[];
  /** Claims, ours or not, that the rows contradict. */
  contradicted: Contradiction[];
  /**
   * The claims of children that were to be claimed, by the result that they were born with. Missing where the result
   * was recorded by an earlier flush whose answer was lost: those children are left to their leases.
   */
  children: ClaimedChildren[];
  /** All children of what was recorded now, claimed or not. */
  born: BornChild[];
  /**
   * Of the results that were to be handed on, those whose next step is ours now, in its first epoch. Missing where the
   * result was recorded by an earlier flush whose answer was lost: that step is left to its lease.
   */
  handedOn: StepDone[];
  /**
   * What this worker is to claim when it is due. Missing where it was recorded by an earlier flush whose answer was
   * lost: that is left to the agenda.
   */
  timed: TimedStep[];
  /** Those of the begins that are still ours. The others must not be called for. */
  begun: StepBegin[];
  /** What the store will never take, apart from its neighbours: a bug on our side. Repeating it is of no use. */
  refused: RefusedStep[];
}

/** A child batch with its number, and the result that it was born with. */
export interface BornChild {
  child: ChildBatch;
  batchNo: number;
  result: StepDone;
}

export interface ClaimedChildren {
  result: StepDone;
  /** In the order of the children that were to be claimed. */
  claims: ClaimedStep[];
}

/** A child batch that waits, or a step that was put back. */
export interface TimedStep extends StepRef {
  /** That it was born or put back with. */
  result: StepResult;
  /** From the flush on. */
  dueInMs: number;
  /** Its users, where it is a child; null where they are those of the result. */
  users: number | null;
}

export interface RefusedStep {
  /** The result, the claim or the begin itself. */
  step: StepResult | StepRef;
  error: Error;
}

/** The steps of batches: the truth of what was done. One row per (feed, batch, step), born by its claim. */
export interface StepLedger {
  /**
   * Records finished steps and claims new ones, in one transaction: outcomes, failures, child batches and totals are
   * written whole or not at all. (Only where something is refused, the rest goes in several transactions.) Claims last
   * `leaseMs` by the database's clock. A claim of a step that is recorded in the same flush is passed over. Throws when
   * the store cannot be reached; the same flush may then be repeated.
   *
   * A step that costs units is ours only once they are reserved, for the whole batch; a budget that is locked by
   * another holds up no flush. They stay reserved, whichever
   * worker takes the step over, until it is known what was applied: what certainly was not, is free again with the
   * recording. Users that go on as a child batch and may have been applied take theirs along.
   *
   * Users on a suppression list of a step's action type are told with the claim, and no call of it counts as begun: who
   * was put on one before the flush began is found, and a worker that is lost then leaves no doubt. A step whose key is
   * open is not asked about: what was begun before is settled by the bytes that it was begun with. A step of an action
   * type with a list is not handed on.
   *
   * No call of a claimed step that is `checked` counts as begun before `begins` names it. Such a step is not asked for
   * where its key is open.
   *
   * Taking a lapsed step over counts the lapse and leaves its key open, unless it is known that its call had not begun.
   * After four lapses a step is quarantined: no worker claims it any more.
   */
  flush(flush: LedgerFlush): Promise<LedgerFlushed>;
  /**
   * For each ref, the users of its batch that did not succeed in an earlier step or went on in a child batch, in the
   * refs' order.
   */
  lostUsers(refs: readonly StepRef[]): Promise<string[][]>;
}
