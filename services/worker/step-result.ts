import { reasons } from '../../shared/domain/reasons.ts';
import { backoffMs } from '../../shared/domain/retry.ts';
import { usersOf } from '../../shared/domain/users-text.ts';
import type { ChildBatch, StepDone, StepResult, StepWaiting, UserFailure } from '../../shared/ports/step-ledger.ts';
import type { Reading } from './answers/read-answer.ts';
import type { FailedResult } from './answers/user-results.ts';
import type { Work } from './work.ts';

/** Between attempts whose outcome is open, and between tries of users that may be retried. */
const attemptBackoff = { firstDelayMs: 500, maxDelayMs: 60_000 };
/** When nothing was applied: the endpoint is down, or asks for patience without saying for how long. Or a person has to act. */
const notAppliedBackoff = { firstDelayMs: 500, maxDelayMs: 30_000 };

/** What is recorded of a step after its call. @param random in [0, 1) */
export function resultOf(work: Work, reading: Reading, random: number): StepResult {
  const { type } = work;
  switch (reading.kind) {
    case 'reported':
      return reportedResult(work, reading, random);
    case 'refused':
      return refusedRecord(work, reading.code);
    case 'misconfigured':
      return waitingRecord(work, notAppliedDelayMs(work, random), unanswered(work), reading.cause);
    case 'not-applied':
      return waitingRecord(
        work,
        reading.retryAfterMs ?? notAppliedDelayMs(work, random),
        unanswered(work),
        reading.cause,
      );
    case 'ambiguous':
      return attemptOf(work) >= type.maxAttempts
        ? unknownResult(work, reading.cause)
        : waitingRecord(work, backoffMs(attemptBackoff, attemptOf(work), random), lostAnswer, reading.cause);
  }
}

/** No attempt is used up, so they cannot be counted by attempts: every claim is a try. */
function notAppliedDelayMs({ claim }: Work, random: number): number {
  return backoffMs(notAppliedBackoff, claim.epoch, random);
}

/** The attempts are used up and nobody can say that nothing happened. */
export function unknownResult(work: Work, cause: string | null): StepDone {
  return allUnknown(work, reasons.attemptsUsedUp, cause);
}

/** Everybody ended without a call: the deadline has passed, or the run was cancelled. Under an open key that would be a guess. */
export function withheldResult(work: Work, rest: 'expired' | 'cancelled'): StepDone {
  if (work.claim.open) return allUnknown(work, reasons.ambiguousAnswer, rest);
  return { ...doneRecord(work, [], []), rest, attempts: work.claim.attempts };
}

/** The chain has lost all of its users before: there is nobody to call for. */
export function nobodyResult(work: Work): StepDone {
  return doneRecord(work, [], []);
}

/** It was never called and can be claimed again at once. */
export function releasedResult(work: Work): StepWaiting {
  return waitingRecord(work, 0, unanswered(work), null);
}

/** UserResults users go on, with this one recording; the others are retried by themselves, or end. */
function reportedResult(work: Work, told: Extract<Reading, { kind: 'reported' }>, random: number): StepDone {
  const { type } = work;
  const usedUp = attemptOf(work) >= type.maxAttempts;
  const isRetried = (failure: FailedResult) => failure.retryable && !usedUp;
  const retryMissing = type.class === 'A' && !usedUp;

  const failures = told.failed.filter((failure) => !isRetried(failure)).map(failureOf);
  if (!retryMissing) failures.push(...told.missing.map(missingFailure));
  const again = [...told.failed.filter(isRetried).map(({ id }) => id), ...(retryMissing ? told.missing : [])];
  return doneRecord(
    work,
    failures,
    again.length === 0
      ? []
      : [childOf(work, again, backoffMs(attemptBackoff, attemptOf(work), random), attemptOf(work))],
  );
}

/** Halves until the refused users are alone. Nothing was applied, so no attempt is used up. */
function refusedRecord(work: Work, code: string): StepDone {
  const users = usersOf(work.users);
  const [only, ...others] = users;
  if (only !== undefined && others.length === 0) {
    return { ...doneRecord(work, [{ user: only, outcome: 'failed', reason: code, detail: null }], []), refused: 1 };
  }
  const middle = Math.ceil(users.length / 2);
  const { attempts } = work.claim;
  const halves = [users.slice(0, middle), users.slice(middle)];
  return doneRecord(
    work,
    [],
    halves.map((half) => childOf(work, half, 0, attempts)),
  );
}

function allUnknown(work: Work, reason: string, detail: string | null): StepDone {
  return doneRecord(
    work,
    usersOf(work.users).map((user) => ({ user, outcome: 'unknown', reason, detail })),
    [],
  );
}

function doneRecord(work: Work, failures: UserFailure[], children: ChildBatch[]): StepDone {
  const { feedId, batchNo, step, epoch } = work.claim;
  const gone = failures.length + children.reduce((sum, child) => sum + child.users.length, 0);
  return {
    feedId,
    batchNo,
    step,
    epoch,
    state: 'done',
    rest: 'succeeded',
    restUsers: work.count - gone,
    failures,
    attempts: attemptOf(work),
    refused: 0,
    children,
  };
}

/** What a call that came to nothing leaves of its key. */
type KeyState = Pick<StepWaiting, 'open' | 'answered'>;

/** A call whose outcome is open uses up an attempt, too. */
const lostAnswer: KeyState = { open: true, answered: true };

function unanswered({ claim }: Work): KeyState {
  return { open: claim.open, answered: false };
}

function waitingRecord({ claim }: Work, delayMs: number, key: KeyState, cause: string | null): StepWaiting {
  const { feedId, batchNo, step, epoch } = claim;
  return { feedId, batchNo, step, epoch, state: 'waiting', delayMs, ...key, cause };
}

/** Which attempt this is, from 1. */
function attemptOf({ claim }: Work): number {
  return claim.attempts + 1;
}

/** Its users stand in their feed's order, whatever order the answer had. */
function childOf(work: Work, users: readonly string[], delayMs: number, attempts: number): ChildBatch {
  const chosen = new Set(users);
  const { open } = work.claim;
  return { users: usersOf(work.users).filter((id) => chosen.has(id)), delayMs, attempts, open, claim: false };
}

function failureOf({ id, code, detail }: FailedResult): UserFailure {
  return { user: id, outcome: 'failed', reason: code, detail };
}

function missingFailure(user: string): UserFailure {
  return { user, outcome: 'unknown', reason: reasons.noResult, detail: null };
}
