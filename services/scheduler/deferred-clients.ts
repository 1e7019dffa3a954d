import type { JobReference } from '../../shared/domain/job/job-key.ts';
import type { Mark } from './ports/due-references.ts';

/**
 * Clients of which more is due than may wait in memory. Their rows are passed over and read again later, by a look that asks for this client
 * alone: everybody else's look goes on, and nothing grows.
 */
export interface DeferredClients {
  readonly size: number;
  isDeferred(clientId: string, partition: number): boolean;
  /** Whose rows are passed over in this partition. */
  of(partition: number): string[];
  /** From here on the client's rows in this partition are passed over. @param before the place right before the first of them */
  defer(reference: JobReference, before: Mark): void;
  /** Where to read on, of one client that has room again. */
  next(hasRoom: (clientId: string) => boolean): { clientId: string; from: Map<number, Mark> } | undefined;
  /** Read up to there. */
  advance(clientId: string, partition: number, mark: Mark): void;
  /** Nothing of it is left up to where everybody's look stands. */
  end(clientId: string, partition: number): void;
  keepOnly(partitions: ReadonlySet<number>): void;
}

export function createDeferredClients(): DeferredClients {
  /** By client and partition. */
  const deferred = new Map<string, Map<number, Mark>>();

  function end(clientId: string, partition: number): void {
    const ofClient = deferred.get(clientId);
    ofClient?.delete(partition);
    if (ofClient?.size === 0) deferred.delete(clientId);
  }

  return {
    get size() {
      return deferred.size;
    },
    isDeferred: (clientId, partition) => deferred.get(clientId)?.has(partition) ?? false,
    of: (partition) => [...deferred].flatMap(([clientId, from]) => (from.has(partition) ? clientId : [])),
    defer: ({ clientId, partition }, before) => {
      const ofClient = deferred.get(clientId) ?? new Map<number, Mark>();
      deferred.set(clientId, ofClient);
      if (!ofClient.has(partition)) ofClient.set(partition, before);
    },
    next: (hasRoom) => {
      for (const [clientId, from] of deferred) {
        if (!hasRoom(clientId)) continue;
        // The others have their turn first next time.
        deferred.delete(clientId);
        deferred.set(clientId, from);
        return { clientId, from: new Map(from) };
      }
      return undefined;
    },
    advance: (clientId, partition, mark) => {
      deferred.get(clientId)?.set(partition, mark);
    },
    end,
    keepOnly: (partitions) => {
      for (const [clientId, ofClient] of [...deferred]) {
        for (const partition of [...ofClient.keys()]) if (!partitions.has(partition)) end(clientId, partition);
      }
    },
  };
}
