import { consequenceOf, type Consequence, type ReadingKind } from '../../../shared/domain/step/consequences.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import type { StepResult, StepWaiting, UserFailure } from '../../../shared/ports/step-ledger.ts';
import { classOf } from '../call/contract-class.ts';
import type { FinalReading, ReportedReading } from '../call/read-endpoint.ts';
import type { FailedResult } from '../call/user-results.ts';
import { childrenOf } from './child-batches.ts';
import { doneResult, halvedResult, refusedUsersResult, unknownFailure, unknownResult } from './done-result.ts';
import {
  appliesLateMs,
  putBackResult,
  retryDelayMs,
  sameAgainMs,
  waitingResult,
  type ResultTerms,
} from './waiting-result.ts';
import type { Refusal, Work } from '../work.ts';

/** What is recorded of a step after its call: the consequence of docs/contracts.md's table, written down. */
export function resultOf(work: Work, reading: FinalReading, terms: ResultTerms): StepResult {
  switch (reading.kind) {
    case 'reported':
      return reportedResult(work, reading, terms);
    case 'refused':
      return refusedResult(work, reading, terms);
    default:
      return wholeResult(work, reading, terms);
  }
}

/** A refusal without doubt about people or parameters: bisected in the lane, until the refused users are alone. */
export function refusedResult(work: Work, { code, cause }: Refusal, terms: ResultTerms): StepResult {
  return wholeResult(work, { kind: work.count === 1 ? 'refused-alone' : 'refused', code, cause }, terms);
}

/** An answer that says the same of all users of the batch. */
interface WholeReading {
  kind: Extract<ReadingKind, 'refused' | 'refused-alone' | 'misconfigured' | 'not-applied' | 'ambiguous'>;
  cause: string;
  code?: string;
  retryAfterMs?: number | null;
}

function wholeResult(work: Work, reading: WholeReading, terms: ResultTerms): StepResult {
  const { claim } = work;
  const { kind, cause, code = '' } = reading;
  switch (consequenceOf(classOf(work, terms.nowMs), claim.open, kind)) {
    case 'fail':
      return refusedUsersResult(work, code);
    case 'split':
      return halvedResult(work);
    case 'send-again':
      return waitingResult(work, sameAgainMs(work, reading, terms), claim.open || kind === 'ambiguous', cause);
    case 'ask-status':
      return waitingResult(work, appliesLateMs(work), true, cause);
    case 'hold':
      return putBackResult(work, 0, null);
    default:
      return unknownResult(work, cause);
  }
}

/** Reported users go on, with this one recording; the others are retried by themselves, or end. */
function reportedResult(work: Work, reading: ReportedReading, terms: ResultTerms): StepResult {
  const { failed, missing, reopened } = reading;
  // The straight way: nothing of the table is needed.
  if (failed.length === 0 && missing.length === 0) return doneResult(work, [], []);
  const { claim, type } = work;
  const of = classOf(work, terms.nowMs);
  const isUsedUp = claim.attempts + 1 >= type.maxAttempts;
  // `retryable` is no final word: an earlier call of these users that was lost may still be applied.
  const isOpen = of === 'A' && (reopened || claim.open);
  const consequenceFor = (failure: FailedResult): Consequence => {
    if (!failure.retryable) return consequenceOf(of, false, 'failed');
    return consequenceOf(of, reopened && of === 'A', isUsedUp ? 'used-up' : 'retryable');
  };
  const failures: UserFailure[] = [];
  const retried: string[] = [];
  for (const failure of failed) {
    if (consequenceFor(failure) === 'retry') retried.push(failure.id);
    else failures.push(endOf(failure, failure.retryable && isOpen));
  }
  const ofMissing = consequenceOf(of, false, 'missing');
  const missingGoOn = ofMissing !== 'unknown';
  if (missingGoOn && missing.length === work.count) return allMissingResult(work, ofMissing, terms);
  if (!missingGoOn) failures.push(...missing.map((user) => unknownFailure(user, reasons.noResult, null)));
  const retryMs = retryDelayMs(work, claim.attempts + 1, terms);
  const children = [
    ...childrenOf(work, retried, {
      delayMs: retryMs,
      open: isOpen,
      attempts: claim.attempts + 1,
    }),
    // A missing user may have been served: at the deadline that is not `expired`.
    ...childrenOf(work, missingGoOn ? missing : [], {
      delayMs: ofMissing === 'ask-status' ? appliesLateMs(work) : retryMs,
      open: true,
      attempts: claim.attempts,
    }),
  ];
  return doneResult(work, failures, children);
}

/** With the last code in either case. @param mayBeServed by a call that was lost */
function endOf({ id, code, detail }: FailedResult, mayBeServed: boolean): UserFailure {
  return { user: id, outcome: mayBeServed ? 'unknown' : 'failed', reason: code, detail };
}

/**
 * The endpoint knows each user again, and reports none: the same call once more, or the same question, is no worse than
 * a child batch of the same users.
 */
function allMissingResult(work: Work, consequence: Consequence, terms: ResultTerms): StepWaiting {
  const delay = consequence === 'ask-status' ? appliesLateMs(work) : retryDelayMs(work, work.claim.epoch, terms);
  return waitingResult(work, delay, true, 'an answer that speaks of no user');
}
