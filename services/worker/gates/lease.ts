import type { Admission } from '../claims/feed-directory.ts';
import { releasedResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { CheckDeps, Gate, Ruling } from './gate.ts';

/** Milliseconds by which a call may exceed its time-out, because the time-out is checked at intervals. */
export const callMarginMs = 250;

/**
 * Gate for a lease that may end before the call does. The batch is released, and any worker may claim it again at once.
 */
export const lease: Gate = { name: 'lease', check: decide, call: decide, late: decide };

function decide(work: Work, _admission: Admission, deps: CheckDeps): Ruling {
  return leaseOutlastsCall(work, deps) ? null : releasedResult(work, 0, null);
}

export function leaseOutlastsCall(
  { claimedAtMs, type }: Pick<Work, 'claimedAtMs' | 'type'>,
  { clock, leaseMs }: Pick<CheckDeps, 'clock' | 'leaseMs'>,
): boolean {
  return claimedAtMs + leaseMs - clock.monotonicMs() > type.timeoutMs + callMarginMs;
}
