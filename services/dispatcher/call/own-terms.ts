import { readOwnTerms, type CallerTrace, type CallTemplate } from '../../../shared/contracts/jobs/call-terms.ts';
import { longestSlotWaitMs } from '../jobs/claimed-jobs.ts';
import type { HeldJob } from '../jobs/held-job.ts';
import type { JobVerdict } from '../ports/call-ledger.ts';
import type { ClientTerms } from '../ports/client-terms.ts';

/** Time that a call may take beyond its time-out: the deadline is looked at now and then, and its end is written. */
export const callMarginMs = 1000;
/** Longest time from a claim to its call: the wait for a slot, and a second for the claim and an access token. */
const waitMs = longestSlotWaitMs + 1000;

/** A job whose client is unknown is given up so long after its time. */
const unknownForMs = 60_000;

/** Terms of one call: those of the client, and the job's own. */
export type CallTerms = ClientTerms & {
  timeoutMs: number;
  template: CallTemplate | undefined;
  trace: CallerTrace | undefined;
};

/** Shortest lease of a claim under which a call with this time-out can begin. */
export function leaseFor({ timeoutMs }: Pick<ClientTerms['limits'], 'timeoutMs'>): number {
  return timeoutMs + callMarginMs + waitMs;
}

/** The job's own terms go before its client's. No call outlasts its claim, or it would never begin. */
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

/** A client that was just made is known here within a second, and its first job may be due before. */
export function withoutTerms({ clockAheadMs, scheduledForMs }: HeldJob, nowMs: number): JobVerdict {
  const lateMs = nowMs + clockAheadMs - scheduledForMs;
  return lateMs > unknownForMs
    ? { kind: 'dead', cause: 'its client or endpoint is gone' }
    : { kind: 'released', delayMs: 500 };
}
