import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../shared/ports/clock.ts';
import { HttpProblem } from '../frame/http-problem.ts';

/** Lookups of unknown keys from one address, per minute: far above what a mistyped key makes. */
const maxRefusalsPerMinute = 60;
const minuteMs = 60_000;
const maxAddressesRemembered = 10_000;

interface Asked {
  /** In vain. */
  refused: number;
  /** Not answered yet. */
  open: number;
  sinceMs: number;
  /** Those that wait for one of the open ones. */
  wakes: (() => void)[];
}

/** Counts what addresses ask for in vain. */
export interface AddressLimit {
  /**
   * Lets a question through. Only as many are open as may be in vain: a hundred at once would otherwise all be let
   * through. Further ones wait for an answer, because a hundred people behind one proxy may come back at once and all
   * be good.
   * @returns to be called with the answer
   * @throws {HttpProblem} 429 when too many were in vain in this minute
   */
  ask(ip: string): Promise<(wasInVain: boolean) => void>;
}

export function createAddressLimit({ clock }: { clock: Clock }): AddressLimit {
  const perf = { now: () => clock.monotonicMs() };
  const byAddress = new LRUCache<string, Asked>({
    // Counted as sizes: `max` would make room for all of them at once.
    maxSize: maxAddressesRemembered,
    sizeCalculation: () => 1,
    ttl: minuteMs,
    ttlResolution: 0,
    perf,
  });

  function askedBy(ip: string): Asked {
    const asked = byAddress.get(ip) ?? { refused: 0, open: 0, sinceMs: clock.monotonicMs(), wakes: [] };
    if (!byAddress.has(ip)) byAddress.set(ip, asked);
    return asked;
  }

  function answer(asked: Asked, wasInVain: boolean): void {
    asked.open -= 1;
    if (wasInVain) asked.refused += 1;
    for (const wake of asked.wakes.splice(0)) wake();
  }

  return {
    ask: async (ip) => {
      for (;;) {
        const asked = askedBy(ip);
        if (asked.refused >= maxRefusalsPerMinute) {
          const waitMs = asked.sinceMs + minuteMs - clock.monotonicMs();
          throw tooManyKeys(Math.max(1, Math.ceil(waitMs / 1000)));
        }
        if (asked.refused + asked.open < maxRefusalsPerMinute) {
          asked.open += 1;
          return (wasInVain) => answer(asked, wasInVain);
        }
        await new Promise<void>((resolve) => asked.wakes.push(resolve));
      }
    },
  };
}

function tooManyKeys(retryAfterSeconds: number): HttpProblem {
  const detail = `more than ${maxRefusalsPerMinute} unknown keys from this address in a minute; retry-after says when the next one is looked at`;
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return new HttpProblem({ status: 429, code: 'too-many-requests', detail, headers });
}
