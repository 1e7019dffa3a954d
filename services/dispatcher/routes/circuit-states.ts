import type { HostState } from './host-breaker.ts';
import type { HostCircuit, HostKey } from '../ports/host-circuits.ts';

/** Maximum duration of a call in milliseconds, including the time until the dispatcher has evaluated its result. */
const longestCallMs = 120_000;

export function circuitKeyOf({ clientId, host }: HostKey): string {
  return `${clientId} ${host}`;
}

/**
 * Circuits as this dispatcher knows them: from its last read of the database, plus the changes that it has made since.
 */
export interface CircuitStates {
  /** Returns the state of a circuit. A host or route without a circuit is `closed`. */
  of(key: HostKey): HostState;
  has(key: HostKey): boolean;
  /**
   * Returns true if the circuit was open or disabled at or after `timeMs`, and no longer is, as far as this dispatcher
   * knows.
   */
  hasRecoveredSince(key: HostKey, timeMs: number): boolean;
  set(key: HostKey, state: HostState): void;
  replace(rows: readonly HostCircuit[]): void;
  /** Returns how many routes of this host have a circuit of their own, in constant time. */
  routesOf(key: HostKey): number;
}

const isSidelined = (state: HostState | undefined) => state === 'open' || state === 'disabled';

export function createCircuitStates(monotonicMs: () => number): CircuitStates {
  const states = new Map<string, HostState>();
  /** Times at which circuits of hosts and routes were last known to be open or disabled, the oldest first. */
  const lastSidelinedAtMs = new Map<string, number>();
  const routes = new Map<string, number>();

  function set(key: HostKey, state: HostState): void {
    const name = circuitKeyOf(key);
    const host = hostOfRoute(key);
    if (host && !states.has(name)) routes.set(host, (routes.get(host) ?? 0) + 1);
    if (isSidelined(state) || isSidelined(states.get(name))) {
      lastSidelinedAtMs.delete(name);
      lastSidelinedAtMs.set(name, monotonicMs());
    }
    states.set(name, state);
  }

  function forgetLongAgo(): void {
    for (const [name, atMs] of lastSidelinedAtMs) {
      if (monotonicMs() - atMs < longestCallMs) return;
      lastSidelinedAtMs.delete(name);
    }
  }

  return {
    of: (key) => states.get(circuitKeyOf(key)) ?? 'closed',
    has: (key) => states.has(circuitKeyOf(key)),
    hasRecoveredSince: (key, timeMs) => {
      const name = circuitKeyOf(key);
      return !isSidelined(states.get(name)) && (lastSidelinedAtMs.get(name) ?? -Infinity) > timeMs;
    },
    set,
    replace: (rows) => {
      forgetLongAgo();
      states.clear();
      routes.clear();
      for (const row of rows) set(row, row.state);
    },
    routesOf: (key) => routes.get(circuitKeyOf(key)) ?? 0,
  };
}

/** Returns the key of the host to which a route belongs; null if `host` names a host and not a route. */
function hostOfRoute({ clientId, host }: HostKey): string | null {
  const end = host.indexOf('/');
  return end < 0 ? null : circuitKeyOf({ clientId, host: host.slice(0, end) });
}
