import { circuitKeyOf } from './circuit-states.ts';
import { createHostBreaker, type HostBreaker } from './host-breaker.ts';
import type { HostKey } from '../ports/host-circuits.ts';

/** Maximum number of circuit breakers in memory: per client, and for all clients together. */
const maxOfClient = 1000;
const maxOfAll = 10_000;

/** Circuit breakers of hosts and routes. If there are too many, the least recently used are dropped first. */
export interface BreakerMemory {
  /** Returns the breaker of this host or route, and marks it as the most recently used. */
  of(key: HostKey): HostBreaker;
  find(key: HostKey): HostBreaker | undefined;
  forget(key: HostKey): void;
}

export function createBreakerMemory(): BreakerMemory {
  /** This map and the next one are in the order of last use, oldest first. */
  const breakers = new Map<string, { key: HostKey; breaker: HostBreaker }>();
  const ofClients = new Map<string, Map<string, HostKey>>();

  function forget(key: HostKey): void {
    const name = circuitKeyOf(key);
    const ofClient = ofClients.get(key.clientId);
    breakers.delete(name);
    ofClient?.delete(name);
    if (ofClient?.size === 0) ofClients.delete(key.clientId);
  }

  return {
    of: (key) => {
      const name = circuitKeyOf(key);
      const breaker = breakers.get(name)?.breaker ?? createHostBreaker();
      forget(key);
      const ofClient = ofClients.get(key.clientId) ?? new Map<string, HostKey>();
      const [oldestOfClient] = ofClient.values();
      if (ofClient.size >= maxOfClient && oldestOfClient) forget(oldestOfClient);
      const [oldest] = breakers.values();
      if (breakers.size >= maxOfAll && oldest) forget(oldest.key);
      breakers.set(name, { key, breaker });
      ofClients.set(key.clientId, ofClient.set(name, key));
      return breaker;
    },
    find: (key) => breakers.get(circuitKeyOf(key))?.breaker,
    forget,
  };
}
