import type { OutletCalls } from '../../shared/ports/job-nodes.ts';
import type { CallCounts } from './call-counts.ts';
import type { ClientQueue } from './jobs/client-queue.ts';

export interface OutletCallsDeps {
  queues: { all(): Iterable<[outletId: string, queue: Pick<ClientQueue, 'length' | 'claimed' | 'inFlight'>]> };
  counts: Pick<CallCounts, 'lastMinute'>;
  slotsOf: (outletId: string) => number;
}

/** Returns this dispatcher's calls of each outlet with work here now or in the last minute. */
export function outletCallsOf({ queues, counts, slotsOf }: OutletCallsDeps): Record<string, OutletCalls> {
  const calls: Record<string, OutletCalls> = {};
  for (const [outletId, lastMinute] of counts.lastMinute()) {
    calls[outletId] = { underWay: 0, slots: slotsOf(outletId), lastMinute };
  }
  for (const [outletId, { length, claimed, inFlight }] of queues.all()) {
    if (length + claimed.length + inFlight === 0) continue;
    const { lastMinute = 0 } = calls[outletId] ?? {};
    calls[outletId] = { underWay: inFlight, slots: slotsOf(outletId), lastMinute };
  }
  return calls;
}
