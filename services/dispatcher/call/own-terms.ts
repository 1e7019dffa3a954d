import { readOwnTerms, type CallerTrace, type CallTemplate } from '../../../shared/contracts/jobs/call-terms.ts';
import { longestSlotWaitMs } from '../jobs/claimed-jobs.ts';
import type { HeldJob } from '../jobs/held-job.ts';
import type { JobVerdict } from '../ports/call-ledger.ts';
import type { ClientTerms } from '../ports/client-terms.ts';

/**
 * Milliseconds that a lease must last longer than the time-out of a call: time to check deadlines and to write the
 * result.
 */
export const callMarginMs = 1000;
/**
 * Maximum time in milliseconds from claim to call: the wait for a slot, and one second for writing the claim and
 * requesting an access token.
 */
const waitMs = longestSlotWaitMs + 1000;

/**
 * Milliseconds after the due time during which a job of an unknown client or endpoint is tried again. Afterwards, the
 * job is dead.
 */
const unknownForMs = 60_000;

export type CallTerms = ClientTerms & {
  timeoutMs: number;
  template: CallTemplate | undefined;
  trace: CallerTrace | undefined;
};

/** Returns the shortest lease in milliseconds that permits a call with the client's time-out. */
export function leaseFor({ timeoutMs }: Pick<ClientTerms['limits'], 'timeoutMs'>): number {
  return timeoutMs + callMarginMs + waitMs;
}

/**
 * Merges the job's own terms into those of its client. A time-out that exceeds the lease is reduced, because the call
 * would otherwise never begin.
 */
export function withOwnTerms(terms: ClientTerms, job: HeldJob): CallTerms {
  const own = readOwnTerms(job.terms);
  const { retry = terms.retries, finalCodes = terms.finalCodes, timeoutMs, reportWithinSeconds, template, trace } = own;
  const ownMs = timeoutMs === undefined ? terms.limits.timeoutMs : Math.min(timeoutMs, longestCallMs(job));
  const reportWithinMs = reportWithinSeconds === undefined ? terms.reportWithinMs : reportWithinSeconds * 1000;
  return { ...terms, retries: retry, finalCodes, reportWithinMs, timeoutMs: ownMs, template, trace };
}

function longestCallMs({ leaseMs }: HeldJob): number {
  return leaseMs - callMarginMs - waitMs;
}

/**
 * Returns the verdict on a job whose client or endpoint is unknown. This process learns about a new client within a
 * second, but the first job of the client may be due earlier.
 */
export function withoutTerms({ clockAheadMs, scheduledForMs }: HeldJob, nowMs: number): JobVerdict {
  const lateMs = nowMs + clockAheadMs - scheduledForMs;
  return lateMs > unknownForMs
    ? { kind: 'dead', cause: 'its client or endpoint is gone' }
    : { kind: 'released', delayMs: 500 };
}
