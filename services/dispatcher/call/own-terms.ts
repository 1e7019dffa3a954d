import { readOwnTerms, type CallerTrace, type CallTemplate } from '../../../shared/contracts/jobs/call-terms.ts';
import { longestSlotWaitMs } from '../jobs/claimed-jobs.ts';
import type { HeldJob } from '../jobs/held-job.ts';
import type { JobVerdict } from '../ports/call-ledger.ts';
import type { ClientTerms } from '../ports/client-terms.ts';

/** Milliseconds that a call may take beyond its time-out: for the checks of deadlines, and for the write. */
export const callMarginMs = 1000;
/** Milliseconds from claim to call at most: the wait for a slot, and a second for the claim and an access token. */
const waitMs = longestSlotWaitMs + 1000;

/** Milliseconds after its due time for which a job of an unknown client is retried. */
const unknownForMs = 60_000;

export type CallTerms = ClientTerms & {
  timeoutMs: number;
  template: CallTemplate | undefined;
  trace: CallerTrace | undefined;
};

/** Returns the shortest lease of a claim under which a call with this time-out can begin. */
export function leaseFor({ timeoutMs }: Pick<ClientTerms['limits'], 'timeoutMs'>): number {
  return timeoutMs + callMarginMs + waitMs;
}

/** Merges the job's own terms over its client's. The time-out is cut, as a longer call would never begin. */
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

/** Returns the verdict without terms. A new client is known within a second, but its first job may be due before. */
export function withoutTerms({ clockAheadMs, scheduledForMs }: HeldJob, nowMs: number): JobVerdict {
  const lateMs = nowMs + clockAheadMs - scheduledForMs;
  return lateMs > unknownForMs
    ? { kind: 'dead', cause: 'its client or endpoint is gone' }
    : { kind: 'released', delayMs: 500 };
}
