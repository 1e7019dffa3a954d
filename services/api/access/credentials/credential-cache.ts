import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { batchLookups } from './batch-lookups.ts';

/**
 * Milliseconds for which a key or a session is accepted without another look-up. After its revocation, a key may be
 * accepted for this long.
 */
export const keyLifeMs = 1_000;

/** Milliseconds for which an unknown, expired or revoked key is refused without another look-up. */
const refusalLifeMs = 10_000;

const maxRemembered = 1000;
const maxRefusedRemembered = 10_000;

export interface CredentialCacheDeps<Found> {
  find: (digests: readonly string[]) => Promise<ReadonlyMap<string, Found>>;
  /**
   * Returns false for records that must be refused, such as revoked keys. A look-up still returns them, but they are
   * cached for as long as unknown secrets. Default: no record is refused.
   */
  isGood?: (found: Found) => boolean;
  clock: Clock;
}

/** Cache of keys or sessions, by the digest of their secret. */
export interface CredentialCache<Found> {
  find(digest: string): Promise<Found | undefined>;
  /** Removes a record, so that the next request with this digest looks it up again. */
  forget(digest: string): void;
  forgetAll(): void;
}

export function createCredentialCache<Found extends object>(deps: CredentialCacheDeps<Found>): CredentialCache<Found> {
  const { isGood = () => true } = deps;
  const perf = { now: () => deps.clock.monotonicMs() };
  const found = new LRUCache<string, Found>({ max: maxRemembered, ttl: keyLifeMs, ttlResolution: 0, perf });
  const refused = new LRUCache<string, { found: Found | undefined }>({
    // `maxSize` limits the number of entries, because `max` would allocate memory for all of them at once.
    maxSize: maxRefusedRemembered,
    sizeCalculation: () => 1,
    ttl: refusalLifeMs,
    ttlResolution: 0,
    perf,
  });
  const lookUp = batchLookups(deps.find);

  return {
    find: async (digest) => {
      const remembered = found.get(digest);
      if (remembered) return remembered;
      const before = refused.get(digest);
      if (before) return before.found;
      const record = await lookUp(digest);
      if (record && isGood(record)) found.set(digest, record);
      else refused.set(digest, { found: record });
      return record;
    },
    forget: (digest) => found.delete(digest),
    forgetAll: () => found.clear(),
  };
}
