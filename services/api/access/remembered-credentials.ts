import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../shared/ports/clock.ts';
import { findTogether } from './find-together.ts';

/** How long a key or a session is believed without asking: so long a revoked one may be taken by another process. */
export const keyLifeMs = 1_000;

/** How long one that was unknown, or has ended, is refused without asking. */
const refusalLifeMs = 10_000;

const maxRemembered = 1000;
const maxRefusedRemembered = 10_000;

export interface RememberedCredentialsDeps<Found> {
  /** Whose digests they are. */
  find: (digests: readonly string[]) => Promise<ReadonlyMap<string, Found>>;
  /** One that is not is found, and remembered as one that is not known: all are, unless given. */
  isGood?: (found: Found) => boolean;
  clock: Clock;
}

/** Keys, or sessions, by their digests. */
export interface RememberedCredentials<Found> {
  find(digest: string): Promise<Found | undefined>;
  /** The next one who comes with it is asked for anew. */
  forget(digest: string): void;
  forgetAll(): void;
}

/** Those that were refused a moment ago are refused unasked, and so are those believed that were good. */
export function rememberCredentials<Found extends object>(
  deps: RememberedCredentialsDeps<Found>,
): RememberedCredentials<Found> {
  const { isGood = () => true } = deps;
  const perf = { now: () => deps.clock.monotonicMs() };
  const found = new LRUCache<string, Found>({ max: maxRemembered, ttl: keyLifeMs, ttlResolution: 0, perf });
  const refused = new LRUCache<string, { found: Found | undefined }>({
    // Counted as sizes: `max` would make room for all of them at once.
    maxSize: maxRefusedRemembered,
    sizeCalculation: () => 1,
    ttl: refusalLifeMs,
    ttlResolution: 0,
    perf,
  });
  const ask = findTogether(deps.find);

  return {
    find: async (digest) => {
      const remembered = found.get(digest);
      if (remembered) return remembered;
      const before = refused.get(digest);
      if (before) return before.found;
      const record = await ask(digest);
      if (record && isGood(record)) found.set(digest, record);
      else refused.set(digest, { found: record });
      return record;
    },
    forget: (digest) => found.delete(digest),
    forgetAll: () => found.clear(),
  };
}
