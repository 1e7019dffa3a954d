import { leaseFor } from './call/own-terms.ts';
import type { ReceivedReference } from './jobs/received-reference.ts';
import { usualTimeoutMs, type JobClaim } from './ports/call-ledger.ts';
import type { ClientDirectory } from './ports/client-terms.ts';

export interface ClientBounds {
  isKnown(clientId: string): boolean;
  ownerOf(clientId: string): string;
  /** Returns how many calls of the client may be in flight, over all dispatchers. */
  concurrencyOf(clientId: string): number;
  /** Returns this dispatcher's share of the client's rate, in proportion to its slots. */
  ratePerSecondOf(clientId: string, slots: number): number;
  /**
   * Returns the lease of a claim in milliseconds. The lease covers the longest call that the client permits; with a
   * shorter lease, such a job would never be called.
   */
  leaseOf(clientId: string): number;
  claimOf(reference: ReceivedReference): JobClaim;
}

/** @param leaseMs shortest lease of a claim */
export function createClientBounds(clients: ClientDirectory, leaseMs: number): ClientBounds {
  return {
    isKnown: (clientId) => clients.termsOf(clientId) !== undefined,
    ownerOf: (clientId) => clients.termsOf(clientId)?.ownerId ?? clientId,
    concurrencyOf: (clientId) => clients.termsOf(clientId)?.limits.concurrency ?? 1,
    ratePerSecondOf: (clientId, slots) => {
      const terms = clients.termsOf(clientId);
      return terms ? ((terms.ratePerSecond ?? Infinity) * Math.max(1, slots)) / terms.limits.concurrency : Infinity;
    },
    leaseOf: (clientId) => {
      const terms = clients.termsOf(clientId);
      return terms ? Math.max(leaseMs, leaseFor(terms.limits)) : leaseMs;
    },
    claimOf: ({ partition, dueUs, jobId, clientId }) => {
      const timeoutMs = clients.termsOf(clientId)?.limits.timeoutMs ?? usualTimeoutMs;
      return { partition, dueUs, jobId, timeoutMs };
    },
  };
}
