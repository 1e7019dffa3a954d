import { feedBornMs } from '../../../shared/domain/ids/born-at.ts';
import {
  consequenceOf,
  classAtAge,
  type Consequence,
  type ContractClass,
} from '../../../shared/domain/step/consequences.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { backoffMs, withJitter } from '../../../shared/domain/step/retry.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { ChildBatch, StepDone, StepResult, StepWaiting, UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { Reading } from '../call/read-answer.ts';
import type { FailedResult } from '../call/user-results.ts';
import type { Refusal, Work } from '../work.ts';

/** When nothing was applied, the endpoint is down, or asks for patience without saying for how long: nobody waits longer than this. */
const longestNotAppliedMs = 30_000;
/** Retries that the budget put off come again after this, and later each time. */
const budgetBackoff = { firstDelayMs: 2000, maxDelayMs: 30_000 };
const suspectAgainMs = 1000;

/** What decides, besides the answer. */
export interface ResultTerms {
  /** In [0, 1). */
  random: number;
  /** Wall clock. */
  nowMs: number;
  /** Until the run's deadline: nothing waits beyond it. */
  deadlineInMs: number;
}

/** An answer to a step as a whole, after the local repeat. */
export type FinalReading = Exclude<Reading, { kind: 'reported' }> | ReportedReading;

export type ReportedReading = Extract<Reading, { kind: 'reported' }> & {
  /** The repeat for missing users may have been applied and was not answered: who has no final word is open again. */
  reopened: boolean;
};

/** What is recorded of a step after its call: the consequence of docs/contracts.md's table, written down. */
export function resultOf(work: Work, reading: FinalReading, terms: ResultTerms): StepResult {
  switch (reading.kind) {
    case 'reported':
      return reportedResult(work, reading, terms);
    case 'refused':
      return refusedResult(work, reading, terms);
    case 'misconfigured':
      return wholeResult(work, 'misconfigured', reading.cause, terms);
    case 'not-applied':
      return wholeResult(work, 'not-applied', reading.cause, terms, reading.retryAfterMs);
    case 'ambiguous':
      return wholeResult(work, 'ambiguous', reading.cause, terms);
  }
}

/** The class that counts: an endpoint forgets its keys after a while. */
export function classOf({ type, claim }: Work, nowMs: number): ContractClass {
  return classAtAge(type.class, type.keyLifeSeconds, nowMs - feedBornMs(claim.feedId, nowMs));
}

/** The same for all users of the batch. */
function wholeResult(
  work: Work,
  reading: 'refused' | 'refused-alone' | 'misconfigured' | 'not-applied' | 'ambiguous',
  cause: string,
  terms: ResultTerms,
  retryAfterMs: number | null = null,
): StepResult {
  const { claim } = work;
  const open = claim.open || reading === 'ambiguous';
  switch (consequenceOf(classOf(work, terms.nowMs), claim.open, reading)) {
    case 'send-again':
      return waitingResult(work, delayMs(work, reading, terms, retryAfterMs), open, cause);
    case 'ask-status':
      return waitingResult(work, appliesLateMs(work), true, cause);
    case 'hold':
      return heldResult(work);
    default:
      return unknownResult(work, cause);
  }
}

function delayMs(
  { claim, type: { retry } }: Work,
  reading: string,
  { random, deadlineInMs }: ResultTerms,
  retryAfterMs: number | null,
): number {
  const backoff =
    reading === 'not-applied' ? { ...retry, maxDelayMs: Math.min(retry.maxDelayMs, longestNotAppliedMs) } : retry;
  // No attempt is used up, so it cannot be counted by attempts: every claim is a try.
  const wanted = retryAfterMs === null ? backoffMs(backoff, claim.epoch, random) : withJitter(retryAfterMs, random);
  return Math.max(0, Math.min(wanted, deadlineInMs));
}

/** A refusal without doubt about people or parameters: bisected in the lane, until the refused users are alone. */
export function refusedResult(work: Work, reading: Refusal, terms: ResultTerms): StepResult {
  const kind = work.count === 1 ? 'refused-alone' : 'refused';
  switch (consequenceOf(classOf(work, terms.nowMs), work.claim.open, kind)) {
    case 'fail':
      return refusedUsersResult(work, reading.code);
    case 'split':
      return splitResult(work, halvesOf(usersOf(work.users)));
    default:
      return wholeResult(work, kind, reading.cause, terms);
  }
}

function refusedUsersResult(work: Work, code: string): StepDone {
  const failures = usersOf(work.users).map((user): UserFailure => {
    return { user, outcome: 'failed', reason: code, detail: null };
  });
  return { ...doneResult(work, failures, []), refused: failures.length };
}

function halvesOf(users: readonly string[]): string[][] {
  const middle = Math.ceil(users.length / 2);
  return [users.slice(0, middle), users.slice(middle)];
}

/** In parts, which go on at once. Nothing was applied, so no attempt is used up. */
export function splitResult(work: Work, parts: readonly (readonly string[])[]): StepDone {
  const { attempts, open } = work.claim;
  const children = parts
    .filter((users) => users.length > 0)
    .map((users): ChildBatch => ({ users, delayMs: 0, attempts, open, claim: true }));
  return { ...doneResult(work, [], children), attempts };
}

/** Class C: its call may still be applied. Asked before that, "not found" would be no promise. */
export function untilAppliedResult(work: Work): StepWaiting {
  return waitingResult(work, 0, true, 'the outcome of a lost call cannot be asked for yet');
}

/** An open key that can no longer be settled: nobody can say that nothing happened. */
export function unknownResult(work: Work, cause: string | null): StepDone {
  const users = usersOf(work.users);
  const failures = users.map((user) => unknownFailure(user, reasons.ambiguousAnswer, cause));
  return { ...doneResult(work, failures, []), attempts: work.claim.attempts };
}

/** Everybody ended without a call: the deadline has passed, or the run was cancelled. Where the key is open, that would be a guess. */
export function withheldResult(work: Work, rest: 'expired' | 'cancelled'): StepDone {
  if (work.claim.open) return unknownResult(work, rest);
  return { ...doneResult(work, [], []), rest, attempts: work.claim.attempts };
}

/** The chain has lost all of its users before: there is nobody to call for. */
export function nobodyResult(work: Work): StepDone {
  return { ...doneResult(work, [], []), attempts: work.claim.attempts };
}

/** It was not called and can be claimed again at once. */
export function releasedResult(work: Work): StepWaiting {
  return waitingResult(work, 0, work.claim.open, null);
}

/** Its step of the run is held: it is due whenever that is lifted. The hold has the cause. */
export function heldResult(work: Work): StepWaiting {
  return waitingResult(work, 0, work.claim.open, null);
}

export function pausedResult(work: Work, delay: number, cause: string): StepWaiting {
  return waitingResult(work, Math.round(delay), work.claim.open, cause);
}

/** Another suspect is under way: this one comes soon, to whoever is free. @param random in [0, 1) */
export function suspectResult(work: Work, random: number): StepWaiting {
  return waitingResult(work, Math.round(suspectAgainMs * (1 + random)), work.claim.open, null);
}

/** Too many retries of the shard met nothing: this one waits, and no attempt is used up. */
export function budgetResult(work: Work, { random, deadlineInMs }: ResultTerms): StepWaiting {
  const delay = Math.max(0, Math.min(backoffMs(budgetBackoff, work.claim.epoch, random), deadlineInMs));
  const cause = `${work.actionType} in ${work.context.country}: too few of its calls are answered, retries wait`;
  return waitingResult(work, delay, work.claim.open, cause);
}

/** Reported users go on, with this one recording; the others are retried by themselves, or end. */
function reportedResult(work: Work, reading: ReportedReading, terms: ResultTerms): StepResult {
  const { failed, missing, reopened } = reading;
  // The straight way: nothing of the table is needed.
  if (failed.length === 0 && missing.length === 0) return doneResult(work, [], []);
  const { claim, type } = work;
  const of = classOf(work, terms.nowMs);
  const isUsedUp = claim.attempts + 1 >= type.maxAttempts;
  const consequenceFor = (failure: FailedResult): Consequence => {
    if (!failure.retryable) return consequenceOf(of, false, 'failed');
    return consequenceOf(of, reopened && of === 'A', isUsedUp ? 'used-up' : 'retryable');
  };
  const failures: UserFailure[] = [];
  const retried: string[] = [];
  for (const failure of failed) {
    if (consequenceFor(failure) === 'retry') retried.push(failure.id);
    else failures.push({ user: failure.id, outcome: 'failed', reason: failure.code, detail: failure.detail });
  }
  const ofMissing = consequenceOf(of, false, 'missing');
  const missingGoOn = ofMissing !== 'unknown';
  if (missingGoOn && missing.length === work.count) return allMissingResult(work, ofMissing, terms);
  if (!missingGoOn) failures.push(...missing.map((user) => unknownFailure(user, reasons.noResult, null)));
  const retryMs = retryDelayMs(work, claim.attempts + 1, terms);
  const children = [
    ...childrenOf(work, retried, {
      delayMs: retryMs,
      // `retryable` is no final word: an earlier call of these users that was lost may still be applied.
      open: of === 'A' && (reopened || claim.open),
      attempts: claim.attempts + 1,
    }),
    // Whoever is missing may have been served: at the deadline that is not `expired`.
    ...childrenOf(work, missingGoOn ? missing : [], {
      delayMs: ofMissing === 'ask-status' ? appliesLateMs(work) : retryMs,
      open: true,
      attempts: claim.attempts,
    }),
  ];
  return doneResult(work, failures, children);
}

/**
 * The endpoint knows each user again, and tells of none: the same call once more, or the same question, is no worse than a child batch of
 * the same users.
 */
function allMissingResult(work: Work, consequence: Consequence, terms: ResultTerms): StepWaiting {
  const delay = consequence === 'ask-status' ? appliesLateMs(work) : retryDelayMs(work, work.claim.epoch, terms);
  return waitingResult(work, delay, true, 'an answer that speaks of no user');
}

/** How long after its end a call may still be applied. Not cut at the deadline, which may be moved: asked too early, the answer is a guess. */
function appliesLateMs({ type }: Work): number {
  return (type.appliesLateSeconds ?? 0) * 1000;
}

/** @param tries how many there were, from 1 */
export function retryDelayMs({ type }: Work, tries: number, { random, deadlineInMs }: ResultTerms): number {
  return Math.max(0, Math.min(backoffMs(type.retry, tries, random), deadlineInMs));
}

/** None where there is nobody. They wait, unless the worker goes on with them at once. */
export function childrenOf(
  work: Work,
  users: readonly string[],
  terms: Pick<ChildBatch, 'delayMs' | 'open' | 'attempts'> & { claim?: boolean },
): ChildBatch[] {
  return users.length === 0 ? [] : [{ claim: false, ...terms, users: inOrderOf(work, users) }];
}

export function doneResult({ claim, count }: Work, failures: UserFailure[], children: ChildBatch[]): StepDone {
  const { feedId, batchNo, step, epoch, attempts } = claim;
  const gone = failures.length + children.reduce((sum, child) => sum + child.users.length, 0);
  return {
    feedId,
    batchNo,
    step,
    epoch,
    state: 'done',
    rest: 'succeeded',
    restUsers: count - gone,
    failures,
    attempts: attempts + 1,
    refused: 0,
    children,
  };
}

export function waitingResult(work: Work, delay: number, open: boolean, cause: string | null): StepWaiting {
  const { feedId, batchNo, step, epoch } = work.claim;
  // Whatever it is put back for: the call of the lease that lapsed may still be applied, and the next claim asks at once.
  const least = mayStillBeApplied(work) ? appliesLateMs(work) : 0;
  const delayMs = Math.max(delay, least);
  return { feedId, batchNo, step, epoch, state: 'waiting', delayMs, open, answered: false, cause };
}

/** A call was left open by a worker that is gone, and nobody knows when it ended: at the latest when its lease did. */
export function mayStillBeApplied({ claim }: Work): boolean {
  return claim.open && !claim.waited;
}

/** In their feed's order, whatever order the answer had. */
function inOrderOf(work: Work, users: readonly string[]): string[] {
  const chosen = new Set(users);
  return usersOf(work.users).filter((id) => chosen.has(id));
}

function unknownFailure(user: string, reason: string, detail: string | null): UserFailure {
  return { user, outcome: 'unknown', reason, detail };
}
