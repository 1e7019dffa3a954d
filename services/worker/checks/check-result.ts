import { refusalDetail, type StepCheck } from '../../../shared/domain/step/checks.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { backoffMs, withJitter } from '../../../shared/domain/retry.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { StepResult, UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { Reading } from '../endpoint/read-answer.ts';
import type { FailedResult } from '../endpoint/user-results.ts';
import { releasedResult, withheldResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';

/**
 * Consequence of a check. `call`: the work with which to call the endpoint, because the check refused no user, or
 * because it did not answer and the call may be made without its answer. `record`: the result to record instead of a
 * call.
 */
export type Checked = { kind: 'call'; work: Work } | { kind: 'record'; result: StepResult };

export type TryTerms = Pick<ActionTypeConfig, 'maxAttempts' | 'retry'>;

export interface CheckTerms {
  check: StepCheck;
  type: TryTerms;
  /** Random number in [0, 1). */
  random: number;
  /** Minimum delay in milliseconds until the next request. */
  leastDelayMs: number;
}

/** Returns the consequence of a check's answer for a step. */
export function resultOfCheck(work: Work, reading: Reading, terms: CheckTerms): Checked {
  const { type } = terms.check;
  if (reading.kind !== 'reported') {
    const retryAfterMs = reading.kind === 'not-applied' ? reading.retryAfterMs : null;
    const leastDelayMs = retryAfterMs === null ? terms.leastDelayMs : withJitter(retryAfterMs, terms.random);
    return withoutAnswer(
      work,
      reading.cause,
      { ...terms, leastDelayMs },
      { refused: [], unchecked: usersOf(work.users) },
    );
  }
  const { failed, missing } = reading;
  if (missing.length > 0) {
    return withoutAnswer(work, `${missing.length} users are missing in its answer`, terms, {
      refused: failed,
      unchecked: missing,
    });
  }
  return split(work, refusalsOf(failed, type));
}

/** Returns the consequence for a step whose check could not be requested, or did not answer. */
export function withoutAnswer(
  work: Work,
  why: string,
  terms: CheckTerms,
  { refused, unchecked }: { refused: readonly FailedResult[]; unchecked: readonly string[] },
): Checked {
  const { check, type, random, leastDelayMs } = terms;
  const cause = `the check ${check.type} gave no answer: ${why}`;
  const tries = (work.claim.check?.tries ?? 0) + 1;
  if (tries < type.maxAttempts || check.onUnavailable === 'wait') {
    const delayMs = Math.round(Math.max(leastDelayMs, backoffMs(type.retry, tries, random)));
    const result = releasedResult(work, delayMs, cause);
    return { kind: 'record', result: { ...result, note: { reading: 'unchecked', cause, users: [] } } };
  }
  const refusals = refusalsOf(refused, check.type);
  if (check.onUnavailable === 'call') return split(work, refusals);
  const failures = unchecked.map((user): UserFailure => {
    return { user, outcome: 'failed', reason: reasons.checkUnavailable, detail: cause };
  });
  return split(work, [...refusals, ...failures]);
}

function refusalsOf(refused: readonly FailedResult[], type: string): UserFailure[] {
  return refused.map(({ id, code, detail }) => {
    return { user: id, outcome: 'suppressed', reason: code, detail: refusalDetail(type, detail) };
  });
}

/** Ends users with these failures. The remaining users are called at once. */
function split(work: Work, failures: UserFailure[]): Checked {
  if (failures.length > 0) return { kind: 'record', result: withheldResult(work, failures, true) };
  const { check: _, ...claim } = work.claim;
  return { kind: 'call', work: { ...work, claim } };
}
