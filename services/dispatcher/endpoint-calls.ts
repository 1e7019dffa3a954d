import type { EndpointCalls } from '../../shared/ports/job-nodes.ts';
import type { CallCounts } from './call-counts.ts';
import type { ClientQueue } from './jobs/client-queue.ts';

export interface EndpointCallsDeps {
  queues: { all(): Iterable<[endpointId: string, queue: Pick<ClientQueue, 'length' | 'claimed' | 'inFlight'>]> };
  counts: Pick<CallCounts, 'lastMinute'>;
  slotsOf: (endpointId: string) => number;
}

/**
 * Returns this dispatcher's calls by endpoint of a client, for endpoints with work on this dispatcher now or in the
 * last minute.
 */
export function endpointCallsOf({ queues, counts, slotsOf }: EndpointCallsDeps): Record<string, EndpointCalls> {
  const calls: Record<string, EndpointCalls> = {};
  for (const [endpointId, lastMinute] of counts.lastMinute()) {
    calls[endpointId] = { underWay: 0, slots: slotsOf(endpointId), lastMinute };
  }
  for (const [endpointId, { length, claimed, inFlight }] of queues.all()) {
    if (length + claimed.length + inFlight === 0) continue;
    const { lastMinute = 0 } = calls[endpointId] ?? {};
    calls[endpointId] = { underWay: inFlight, slots: slotsOf(endpointId), lastMinute };
  }
  return calls;
}
