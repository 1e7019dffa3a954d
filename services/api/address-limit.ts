import { LRUCache } from 'lru-cache';
import type { Clock } from '../../shared/ports/clock.ts';
import { HttpProblem } from './http/http-problem.ts';

/** Lookups of unknown keys from one address, per minute: far above what a mistyped key makes. */
const maxRefusalsPerMinute = 60;
const minuteMs = 60_000;
const maxAddressesRemembered = 10_000;

interface Refusals {
  count: number;
  sinceMs: number;
}

/** Counts what addresses ask for in vain. */
export interface AddressLimit {
  /**
   * Counts a question before its answer is there, or a hundred at once would all be let through.
   * @returns takes it back: it was not in vain
   * @throws {HttpProblem} 429 when there were too many in this minute
   */
  count(ip: string): () => void;
}

export function createAddressLimit({ clock }: { clock: Clock }): AddressLimit {
  const perf = { now: () => clock.monotonicMs() };
  const byAddress = new LRUCache<string, Refusals>({
    max: maxAddressesRemembered,
    ttl: minuteMs,
    ttlResolution: 0,
    perf,
  });
  return {
    count: (ip) => {
      const refusals = byAddress.get(ip) ?? { count: 0, sinceMs: clock.monotonicMs() };
      if (!byAddress.has(ip)) byAddress.set(ip, refusals);
      refusals.count += 1;
      if (refusals.count <= maxRefusalsPerMinute) return () => (refusals.count -= 1);
      const waitMs = refusals.sinceMs + minuteMs - clock.monotonicMs();
      throw tooManyKeys(Math.max(1, Math.ceil(waitMs / 1000)));
    },
  };
}

function tooManyKeys(retryAfterSeconds: number): HttpProblem {
  const detail = `more than ${maxRefusalsPerMinute} unknown keys from this address in a minute; retry-after says when the next one is looked at`;
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return new HttpProblem({ status: 429, code: 'too-many-requests', detail, headers });
}
