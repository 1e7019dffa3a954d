import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../shared/ports/clock.ts';
import { findTogether } from './find-together.ts';

/** How long a key or a session is believed without asking: so long a revoked one may be taken by another process. */
export const keyLifeMs = 1_000;

/** How long one that was unknown is refused without asking. */
const refusalLifeMs = 10_000;

const maxRemembered = 1000;
const maxRefusedRemembered = 10_000;

export interface RememberedCredentialsDeps<Found> {
  /** Whose digests they are. */
  find: (digests: readonly string[]) => Promise<ReadonlyMap<string, Found>>;
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
  const ask = findTogether(deps.find);

  return {
    find: async (digest) => {
      const remembered = found.get(digest);
      if (remembered) return remembered;
      if (refused.has(digest)) return undefined;
      const record = await ask(digest);
      if (record) found.set(digest, record);
      else refused.set(digest, true);
      return record;
    },
    forget: (digest) => found.delete(digest),
    forgetAll: () => found.clear(),
  };
}
