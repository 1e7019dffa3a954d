/*
 * Results of a step of a batch. A step is done, with its users' outcomes, or it waits and the same call is made again
 * under the same key. Child batches have keys of their own.
 *
 * | result           | users                                  | child batches       | uses up an attempt     |
 * | ---------------- | -------------------------------------- | ------------------- | ---------------------- |
 * | `resultOfAnswer` | by the table of docs/contracts.md      | retried, or halved  | if it reports on users |
 * | `resultOfStatus` | likewise, by the status endpoint       | retried, or unknown | if it reports on users |
 * | `uncalledResult` | one outcome for all                    | none                | no                     |
 * | `unknownResult`  | `unknown`: nothing settles a lost call | none                | no                     |
 * | `withheldResult` | some end without a call                | the others          | no                     |
 * | `splitResult`    | none ends                              | groups, called next | no                     |
 * | `dividedResult`  | as given                               | as given            | no                     |
 * | `waitingResult`  | all wait                               | none                | no                     |
 * | `releasedResult` | all wait, and the key stays unchanged  | none                | no                     |
 */
import { backoffMs, withJitter } from '../../../shared/domain/retry.ts';
import {
  consequenceOf,
  consequenceOfStatus,
  type Consequence,
  type ReadingKind,
  type StatusReading,
} from '../../../shared/domain/step/consequences.ts';
import { digestOfLost } from '../../../shared/domain/step/lost-users.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { ChildBatch, StepDone, StepResult, StepWaiting, UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { FinalReading, Refusal, ReportedReading } from '../endpoint/read-answer.ts';
import type { StatusAnswer, UserStatus } from '../endpoint/read-status.ts';
import type { FailedResult } from '../endpoint/user-results.ts';
import { classOf, type Work } from './work.ts';

/** Maximum delay in milliseconds if the endpoint is down, or if it requests a pause without a duration. */
const longestNotAppliedMs = 30_000;

export interface ResultTerms {
  /** Random number in [0, 1). */
  random: number;
  /** Wall clock time, in milliseconds since 1970. */
  nowMs: number;
  /** Milliseconds until the run's deadline. No step waits beyond the deadline. */
  deadlineInMs: number;
}

/** Users of a batch that continue as a child batch. `attempts` defaults to the attempts of the batch. */
type Part = Omit<ChildBatch, 'attempts'> & { attempts?: number };

/**
 * Returns the users that the chain has lost up to and including this step: failed users, and users in child batches.
 */
export function lostAfter({ lost }: Work, { failures, children }: Pick<StepDone, 'failures' | 'children'>) {
  if (failures.length === 0 && children.length === 0) return lost;
  return [...lost, ...failures.map(({ user }) => user), ...children.flatMap(({ users }) => users)];
}

/** Returns the final result of a call: failures, users in child batches, and all others as succeeded. */
export function doneResult(work: Work, failures: UserFailure[], children: ChildBatch[]): StepDone {
  const { claim, context, count, lost } = work;
  const { feedId, batchNo, step, epoch, attempts } = claim;
  const lostNow = lostAfter(work, { failures, children });
  return {
    feedId,
    batchNo,
    step,
    epoch,
    state: 'done',
    rest: 'succeeded',
    restUsers: count - (lostNow.length - lost.length),
    lostDigest: step < context.chain.length ? digestOfLost(lostNow) : null,
    failures,
    attempts: attempts + 1,
    refused: 0,
    children,
  };
}

/**
 * Returns a result with failures and child batches for a step whose call was not applied or not made. It uses up no
 * attempt.
 */
export function dividedResult(work: Work, failures: UserFailure[], parts: readonly Part[]): StepDone {
  return { ...doneResult(work, failures, childrenOf(work, parts)), attempts: work.claim.attempts };
}

/**
 * Returns a result in which some users end in this step without a call. The others continue as a child batch with a key
 * of its own, because every call under the same key must have the same users.
 * @param claim true if this worker continues with the child batch at once
 */
export function withheldResult(work: Work, failures: UserFailure[], claim: boolean): StepDone {
  const gone = new Set(failures.map(({ user }) => user));
  const users = usersIn(work).filter((user) => !gone.has(user));
  return dividedResult(work, failures, [{ users, open: false, delayMs: 0, claim }]);
}

/** Returns a result that splits a refused batch into parts, which are called at once. */
export function splitResult(work: Work, groups: readonly (readonly string[])[]): StepDone {
  const { open } = work.claim;
  const parts = groups.map((users) => ({ users, delayMs: 0, open, claim: true }));
  return dividedResult(work, [], parts);
}

function halvedResult(work: Work): StepDone {
  const users = usersIn(work);
  const middle = Math.ceil(users.length / 2);
  return splitResult(work, [users.slice(0, middle), users.slice(middle)]);
}

/** Returns a result with the same outcome for all users, without a call. */
export function uncalledResult(work: Work, rest: StepDone['rest']): StepDone {
  return { ...dividedResult(work, [], []), rest };
}

/**
 * Returns the result for an open key whose outcome cannot be found out any more: the lost call may have been applied.
 */
export function unknownResult(work: Work, cause: string | null): StepDone {
  const reason = reasons.ambiguousAnswer;
  return dividedResult(work, failuresOf(usersIn(work), { outcome: 'unknown', reason, detail: cause }), []);
}

/**
 * Returns the result of users who were refused alone. The refusal is final, whether its cause is the user or the
 * parameters.
 */
function refusedUsersResult(work: Work, code: string): StepDone {
  const failures = failuresOf(usersIn(work), { outcome: 'failed', reason: code, detail: null });
  return { ...doneResult(work, failures, []), refused: failures.length };
}

/**
 * Returns a result that makes the batch wait.
 * @param delay minimum delay in milliseconds
 * @param open true if a call of the step may have been applied
 */
export function waitingResult(work: Work, delay: number, open: boolean, cause: string | null): StepWaiting {
  const { feedId, batchNo, step, epoch } = work.claim;
  // If the call of a lapsed lease may still be applied, the step waits until that is excluded. Otherwise, the next
  // claim would request the status too early.
  const least = mayStillBeApplied(work) ? appliesLateMs(work) : 0;
  const delayMs = Math.max(delay, least);
  return { feedId, batchNo, step, epoch, state: 'waiting', delayMs, open, answered: false, cause };
}

/** Returns a result for a step that was not called: it waits, and its key is unchanged. */
export function releasedResult(work: Work, delay: number, cause: string | null): StepWaiting {
  return waitingResult(work, delay, work.claim.open, cause);
}

/**
 * Returns true if a lost worker has left a call whose outcome is unknown. That call ended at the latest when the
 * worker's lease ended.
 */
export function mayStillBeApplied({ claim }: Work): boolean {
  return claim.open && !claim.waited;
}

/** Returns the result of a call, according to the table in docs/contracts.md. */
export function resultOfAnswer(work: Work, reading: FinalReading, terms: ResultTerms): StepResult {
  if (reading.kind === 'reported') return reportedResult(work, reading, terms);
  return reading.kind === 'refused' ? refusedResult(work, reading, terms) : wholeResult(work, reading, terms);
}

/** Returns the result of a final refusal: the batch is bisected until refused users are alone in their batches. */
export function refusedResult(work: Work, { code, cause }: Refusal, terms: ResultTerms): StepResult {
  return wholeResult(work, { kind: work.count === 1 ? 'refused-alone' : 'refused', code, cause }, terms);
}

/** Answer that applies to all users of the batch in the same way. */
interface WholeReading {
  kind: Extract<ReadingKind, 'refused' | 'refused-alone' | 'misconfigured' | 'not-applied' | 'ambiguous'>;
  cause: string;
  code?: string;
  retryAfterMs?: number | null;
}

function wholeResult(work: Work, reading: WholeReading, terms: ResultTerms): StepResult {
  const { kind, cause, code = '' } = reading;
  const { open } = work.claim;
  switch (consequenceOf(classOf(work, terms.nowMs), open, kind)) {
    case 'fail':
      return refusedUsersResult(work, code);
    case 'split':
      return halvedResult(work);
    case 'send-again':
      return waitingResult(work, sameAgainMs(work, reading, terms), open || kind === 'ambiguous', cause);
    case 'ask-status':
      return waitingResult(work, appliesLateMs(work), true, cause);
    case 'hold':
      return releasedResult(work, 0, null);
    default:
      return unknownResult(work, cause);
  }
}

/**
 * Returns the result of an answer with results by user. One write suffices for the succeeded users to continue. The
 * others are retried in child batches, or end.
 */
function reportedResult(work: Work, { failed, missing, reopened }: ReportedReading, terms: ResultTerms): StepResult {
  // In the most frequent case, all users succeeded, so the table is not needed.
  if (failed.length === 0 && missing.length === 0) return doneResult(work, [], []);
  const { claim, type } = work;
  const of = classOf(work, terms.nowMs);
  const attempts = claim.attempts + 1;
  const isUsedUp = attempts >= type.maxAttempts;
  // If the key is open, `retryable` is not final, because an earlier, lost call for these users may still be applied.
  const isOpen = of === 'A' && (reopened || claim.open);
  const consequenceFor = (failure: FailedResult): Consequence => {
    if (!failure.retryable) return consequenceOf(of, false, 'failed');
    return consequenceOf(of, reopened && of === 'A', isUsedUp ? 'used-up' : 'retryable');
  };
  const failures: UserFailure[] = [];
  const retried: string[] = [];
  for (const failure of failed) {
    const { id: user, code: reason, detail, retryable } = failure;
    if (consequenceFor(failure) === 'retry') retried.push(user);
    // In both cases, the reason is the last code. If a lost call may have served the user, the outcome is `unknown`.
    else failures.push({ user, outcome: retryable && isOpen ? 'unknown' : 'failed', reason, detail });
  }
  const ofMissing = consequenceOf(of, false, 'missing');
  const missingGoOn = ofMissing !== 'unknown';
  if (missingGoOn && missing.length === work.count) return allMissingResult(work, ofMissing, terms);
  if (!missingGoOn)
    failures.push(...failuresOf(missing, { outcome: 'unknown', reason: reasons.noResult, detail: null }));
  const retryMs = retryDelayMs(work, attempts, terms);
  const missingMs = ofMissing === 'ask-status' ? appliesLateMs(work) : retryMs;
  const children = childrenOf(work, [
    { users: retried, delayMs: retryMs, open: isOpen, attempts, claim: false },
    // A missing user may have been served. At the deadline, the outcome is therefore not `expired`.
    { users: missingGoOn ? missing : [], delayMs: missingMs, open: true, claim: false },
  ]);
  return doneResult(work, failures, children);
}

/**
 * Returns a result that makes the whole batch wait, because repeating the same request is as good as a child batch of
 * the same users.
 */
function allMissingResult(work: Work, consequence: Consequence, terms: ResultTerms): StepWaiting {
  const delay = consequence === 'ask-status' ? appliesLateMs(work) : retryDelayMs(work, work.claim.epoch, terms);
  return waitingResult(work, delay, true, 'an answer that speaks of no user');
}

/**
 * Returns the result of a class C step after a status request. Null if the lost call was not applied and never will be,
 * so that the same call may be made again under the same key. If the status of no user is known, the step itself waits.
 * Otherwise, users that were not served are called at once in a child batch, and the status of the remaining users is
 * requested again later.
 */
export function resultOfStatus(work: Work, answer: StatusAnswer, terms: ResultTerms): StepResult | null {
  const againMs = retryDelayMs(work, work.claim.epoch, terms);
  if (answer.kind === 'unanswered') return waitingResult(work, againMs, true, answer.cause);
  const attempts = work.claim.attempts + 1;
  const isUsedUp = attempts >= work.type.maxAttempts;
  const failures: UserFailure[] = [];
  const [retried, unserved, unsettled]: [string[], string[], string[]] = [[], [], []];
  for (const user of usersIn(work)) {
    const status = answer.statuses.get(user);
    const consequence = consequenceOfStatus(readingOf(status, isUsedUp));
    if (consequence === 'retry') retried.push(user);
    else if (consequence === 'send-again') unserved.push(user);
    else if (consequence === 'ask-status') unsettled.push(user);
    else if (consequence !== 'succeed')
      failures.push({ user, outcome: 'failed', reason: status?.code ?? 'unspecified', detail: null });
  }
  if (unserved.length === work.count) return null;
  if (unsettled.length === work.count) return waitingResult(work, againMs, true, 'the outcome is not settled yet');
  const children = childrenOf(work, [
    { users: retried, delayMs: retryDelayMs(work, attempts, terms), open: false, attempts, claim: false },
    { users: unserved, delayMs: 0, open: false, claim: true },
    { users: unsettled, delayMs: againMs, open: true, claim: false },
  ]);
  return doneResult(work, failures, children);
}

function readingOf(status: UserStatus | undefined, isUsedUp: boolean): StatusReading {
  if (status === undefined) return 'missing';
  if (status.status !== 'failed' || !status.retryable) return status.status;
  return isUsedUp ? 'used-up' : 'retryable';
}

/**
 * Returns child batches for the parts that have users. Users are in the order of the feed, whatever order the answer
 * had.
 */
function childrenOf(work: Work, parts: readonly Part[]): ChildBatch[] {
  const { attempts } = work.claim;
  return parts.flatMap(({ users, ...terms }): ChildBatch[] => {
    if (users.length === 0) return [];
    const chosen = new Set(users);
    return [{ attempts, ...terms, users: usersIn(work).filter((id) => chosen.has(id)) }];
  });
}

function usersIn({ users }: Work): string[] {
  return usersOf(users);
}

function failuresOf(users: readonly string[], failure: Omit<UserFailure, 'user'>): UserFailure[] {
  return users.map((user) => ({ user, ...failure }));
}

/**
 * Returns the milliseconds after the end of a call during which the endpoint may still apply it. The run's deadline
 * does not shorten this time, because the deadline may be moved, and a status answer that comes earlier is not
 * reliable.
 */
function appliesLateMs({ type }: Work): number {
  return (type.appliesLateSeconds ?? 0) * 1000;
}

/**
 * @param tries number of tries, from 1
 * @param longestMs maximum delay in addition to that of the action type
 */
function retryDelayMs({ type }: Work, tries: number, terms: ResultTerms, longestMs = Infinity): number {
  const { random, deadlineInMs } = terms;
  const maxDelayMs = Math.min(type.retry.maxDelayMs, longestMs);
  return Math.max(0, Math.min(backoffMs({ ...type.retry, maxDelayMs }, tries, random), deadlineInMs));
}

/**
 * Returns the delay until the same call is made again: the delay that the endpoint requested, or one that grows with
 * each try.
 */
function sameAgainMs(work: Work, { kind, retryAfterMs = null }: WholeReading, terms: ResultTerms): number {
  const { random, deadlineInMs } = terms;
  if (retryAfterMs !== null) return Math.max(0, Math.min(withJitter(retryAfterMs, random), deadlineInMs));
  // Such a call uses up no attempt, so the number of claims is used instead: every claim is a try.
  return retryDelayMs(work, work.claim.epoch, terms, kind === 'not-applied' ? longestNotAppliedMs : Infinity);
}
