import type { ReceivedCall } from './callback-evidence.ts';

/** Ids of jobs with the same ordering key, in the order in which they must be called. */
export type KeyOrder = readonly string[];

export interface OrderTerms {
  /** Duration of the receiver's work on a call, even if the caller has gone. */
  worksForMs: number;
  isInOrder: boolean;
}

type Call = Pick<ReceivedCall, 'jobId' | 'atMs' | 'endedAtMs' | 'status'>;

/**
 * Returns violations in the ledger of the receiver: concurrent calls of a key (O1) and, for ordered jobs, a wrong order
 * (O2).
 */
export function orderViolations(keys: readonly KeyOrder[], calls: readonly Call[], terms: OrderTerms): string[] {
  return keys.flatMap((ids) => {
    const places = new Map(ids.map((jobId, place) => [jobId, place]));
    const ofKey = calls.filter(({ jobId }) => places.has(jobId)).sort((a, b) => a.atMs - b.atMs);
    return ofKey.flatMap((call, index) => {
      const before = ofKey[index - 1];
      if (!before) return [];
      const found: string[] = [];
      if (busyUntil(before, terms) > call.atMs) found.push(`O1: ${call.jobId} was called while ${before.jobId} was`);
      if (terms.isInOrder && (places.get(call.jobId) ?? 0) < (places.get(before.jobId) ?? 0))
        found.push(`O2: ${call.jobId} was called after ${before.jobId}, which comes behind it`);
      return found;
    });
  });
}

function busyUntil({ atMs, endedAtMs, status }: Call, { worksForMs }: OrderTerms): number {
  return status === null || endedAtMs === null ? atMs + worksForMs : endedAtMs;
}
