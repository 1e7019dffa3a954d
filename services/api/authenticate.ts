import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { HttpProblem } from './http/http-problem.ts';
import type { ApiKeyRecord, ApiKeys } from '../../shared/ports/api-keys.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { digestOfApiKey } from '../../shared/runtime/api-key-secret.ts';

/** How long a key is believed without asking. Streams ask as often, so that none outlives its key by more than ten seconds. */
export const keyLifeMs = 5_000;

/** How long a key that nobody knew is refused without asking. */
const refusalLifeMs = 10_000;

/** Lookups of unknown keys from one address, per minute: far above what a mistyped key makes. */
const maxRefusalsPerMinute = 60;
const minuteMs = 60_000;

const maxKeysRemembered = 1000;
const maxRefusedRemembered = 10_000;
const maxAddressesRemembered = 10_000;

/** What a key may look like: our own, and what may be given as the bootstrap key. Anything else is refused unread. */
const keyPattern = /^[\x21-\x7e]{16,512}$/;

export interface AuthenticateDeps {
  apiKeys: ApiKeys;
  clock: Clock;
  /** Called for each request that is refused for its key. */
  onRefused?: (() => void) | undefined;
}

export type Authenticate = (request: Pick<FastifyRequest, 'headers' | 'ip'>) => Promise<ApiKeyRecord>;

interface Refusals {
  count: number;
  sinceMs: number;
}

/**
 * Who asks, by `Authorization: Bearer <key>`. Unknown keys cost little: those that were refused a moment ago are refused unasked, and an
 * address that tries one after the other may only ask for keys that were good before, until its minute is over.
 */
export function createAuthenticate({ apiKeys, clock, onRefused }: AuthenticateDeps): Authenticate {
  const perf = { now: () => clock.monotonicMs() };
  const found = new LRUCache<string, ApiKeyRecord>({ max: maxKeysRemembered, ttl: keyLifeMs, ttlResolution: 0, perf });
  const refused = new LRUCache<string, true>({ max: maxRefusedRemembered, ttl: refusalLifeMs, ttlResolution: 0, perf });
  const refusalsBy = new LRUCache<string, Refusals>({
    max: maxAddressesRemembered,
    ttl: minuteMs,
    ttlResolution: 0,
    perf,
  });
  /** Digests that were good once. */
  const known = new LRUCache<string, true>({ max: maxKeysRemembered });

  function refuse(detail: string): never {
    onRefused?.();
    throw unauthorized(detail);
  }

  /** Counted before the answer is there, or a hundred requests at once would all be let through. */
  function countLookup(ip: string): Refusals {
    const refusals = refusalsBy.get(ip) ?? { count: 0, sinceMs: clock.monotonicMs() };
    if (!refusalsBy.has(ip)) refusalsBy.set(ip, refusals);
    refusals.count += 1;
    if (refusals.count <= maxRefusalsPerMinute) return refusals;
    const waitMs = refusals.sinceMs + minuteMs - clock.monotonicMs();
    throw tooManyKeys(Math.max(1, Math.ceil(waitMs / 1000)));
  }

  return async ({ headers, ip }) => {
    const [, secret] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (secret === undefined) refuse('this needs the header Authorization: Bearer <API key>');
    if (!keyPattern.test(secret)) refuse('this is no API key: they are 16 to 512 visible ASCII characters');
    const digest = digestOfApiKey(secret);
    const remembered = found.get(digest);
    if (remembered) return remembered;
    const refusals = known.has(digest) ? undefined : countLookup(ip);
    const record = refused.has(digest) ? undefined : await apiKeys.find(digest);
    if (!record) {
      known.delete(digest);
      refused.set(digest, true);
      refuse('the API key is not known, or was revoked');
    }
    if (refusals) refusals.count -= 1;
    found.set(digest, record);
    known.set(digest, true);
    return record;
  };
}

function unauthorized(detail: string): HttpProblem {
  const headers = { 'www-authenticate': 'Bearer realm="muster"' };
  return new HttpProblem({ status: 401, code: 'unauthorized', detail, headers });
}

function tooManyKeys(retryAfterSeconds: number): HttpProblem {
  const detail = `more than ${maxRefusalsPerMinute} unknown keys from this address in a minute; retry-after says when the next one is looked at`;
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return new HttpProblem({ status: 429, code: 'too-many-requests', detail, headers });
}
