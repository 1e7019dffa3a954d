import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { AddressLimit } from './address-limit.ts';

/**
 * How long a key or a session is believed without asking. Streams ask as often, so that none outlives its key by more
 * than ten seconds.
 */
export const keyLifeMs = 5_000;

/** How long one that was unknown is refused without asking. */
const refusalLifeMs = 10_000;

const maxRemembered = 1000;
const maxRefusedRemembered = 10_000;

export interface RememberedCredentialsDeps<Found> {
  /** Whose digest it is. */
  find: (digest: string) => Promise<Found | undefined>;
  limit: AddressLimit;
  clock: Clock;
}

/** Keys, or sessions, by their digests. */
export interface RememberedCredentials<Found> {
  /** @throws {HttpProblem} 429 when the address asked for too many unknown ones */
  find(digest: string, ip: string): Promise<Found | undefined>;
  /** The next one who comes with it is asked for anew. */
  forget(digest: string): void;
  forgetAll(): void;
}

/**
 * Unknown ones cost little: those that were refused a moment ago are refused unasked, and an address that tries one
 * after the other may only come with what was good before, until its minute is over.
 */
export function rememberCredentials<Found extends object>(
  deps: RememberedCredentialsDeps<Found>,
): RememberedCredentials<Found> {
  const perf = { now: () => deps.clock.monotonicMs() };
  const found = new LRUCache<string, Found>({ max: maxRemembered, ttl: keyLifeMs, ttlResolution: 0, perf });
  const refused = new LRUCache<string, true>({
    // Counted as sizes: `max` would make room for all of them at once.
    maxSize: maxRefusedRemembered,
    sizeCalculation: () => 1,
    ttl: refusalLifeMs,
    ttlResolution: 0,
    perf,
  });
  /** Digests that were good once. */
  const known = new LRUCache<string, true>({ max: maxRemembered });

  const lookUp = async (digest: string) => (refused.has(digest) ? undefined : await deps.find(digest));

  async function lookUpLimited(digest: string, ip: string): Promise<Found | undefined> {
    const answered = await deps.limit.ask(ip);
    let isUnknown = false;
    try {
      const record = await lookUp(digest);
      isUnknown = record === undefined;
      return record;
    } finally {
      answered(isUnknown);
    }
  }

  return {
    find: async (digest, ip) => {
      const remembered = found.get(digest);
      if (remembered) return remembered;
      const record = known.has(digest) ? await lookUp(digest) : await lookUpLimited(digest, ip);
      if (!record) {
        known.delete(digest);
        refused.set(digest, true);
        return undefined;
      }
      found.set(digest, record);
      known.set(digest, true);
      return record;
    },
    forget: (digest) => found.delete(digest),
    forgetAll: () => found.clear(),
  };
}
