import { backoffMs, withJitter } from '../../../shared/domain/retry.ts';
import type { StepWaiting } from '../../../shared/ports/step-ledger.ts';
import type { Work } from '../work.ts';

/**
 * When nothing was applied, the endpoint is down, or asks for patience without saying for how long: no step waits
 * longer than this.
 */
const longestNotAppliedMs = 30_000;

/** What decides over a step's result, besides the answer. */
export interface ResultTerms {
  /** In [0, 1). */
  random: number;
  /** Wall clock. */
  nowMs: number;
  /** Until the run's deadline: nothing waits beyond it. */
  deadlineInMs: number;
}

/** A step that is put back, after this time at the earliest. @param open whether a call of it may have been applied */
export function waitingResult(work: Work, delay: number, open: boolean, cause: string | null): StepWaiting {
  const { feedId, batchNo, step, epoch } = work.claim;
  // Whatever it is put back for: the call of the lease that lapsed may still be applied, and the next claim asks at
  // once.
  const least = mayStillBeApplied(work) ? appliesLateMs(work) : 0;
  const delayMs = Math.max(delay, least);
  return { feedId, batchNo, step, epoch, state: 'waiting', delayMs, open, answered: false, cause };
}

/** It was not called, which leaves its key as it is. */
export function putBackResult(work: Work, delay: number, cause: string | null): StepWaiting {
  return waitingResult(work, delay, work.claim.open, cause);
}

/** A call was left open by a worker that is gone, and when it ended is not known: at the latest when its lease did. */
export function mayStillBeApplied({ claim }: Work): boolean {
  return claim.open && !claim.waited;
}

/**
 * How long after its end a call may still be applied. Not cut at the deadline, which may be moved: asked too early, the
 * answer is a guess.
 */
export function appliesLateMs({ type }: Work): number {
  return (type.appliesLateSeconds ?? 0) * 1000;
}

/** @param tries how many there were, from 1 */
export function retryDelayMs({ type }: Work, tries: number, { random, deadlineInMs }: ResultTerms): number {
  return Math.max(0, Math.min(backoffMs(type.retry, tries, random), deadlineInMs));
}

/** Until the same call is made again: what the endpoint asked for, or later each time. */
export function sameAgainMs(
  { claim, type: { retry } }: Work,
  { kind, retryAfterMs = null }: { kind: string; retryAfterMs?: number | null },
  { random, deadlineInMs }: ResultTerms,
): number {
  const backoff =
    kind === 'not-applied' ? { ...retry, maxDelayMs: Math.min(retry.maxDelayMs, longestNotAppliedMs) } : retry;
  // No attempt is used up, so it cannot be counted by attempts: every claim is a try.
  const wanted = retryAfterMs === null ? backoffMs(backoff, claim.epoch, random) : withJitter(retryAfterMs, random);
  return Math.max(0, Math.min(wanted, deadlineInMs));
}
