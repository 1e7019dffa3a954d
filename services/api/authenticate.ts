import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { HttpProblem } from './http/http-problem.ts';
import type { ApiKeyRecord, ApiKeys } from '../../shared/ports/api-keys.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { digestOfApiKey } from '../../shared/runtime/api-key-secret.ts';

/** How long a revoked key may still be accepted. */
const keyLifeMs = 10_000;

export type Authenticate = (request: FastifyRequest) => Promise<ApiKeyRecord>;

/** Who asks, by `Authorization: Bearer <key>`. A key that was just made is accepted at once: only keys that were found are remembered. */
export function createAuthenticate({ apiKeys, clock }: { apiKeys: ApiKeys; clock: Clock }): Authenticate {
  const found = new LRUCache<string, ApiKeyRecord>({
    max: 1000,
    ttl: keyLifeMs,
    ttlResolution: 0,
    perf: { now: () => clock.monotonicMs() },
  });

  return async ({ headers }) => {
    const [, secret] = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? '') ?? [];
    if (secret === undefined) throw unauthorized('this needs the header Authorization: Bearer <API key>');
    const digest = digestOfApiKey(secret);
    const record = found.get(digest) ?? (await apiKeys.find(digest));
    if (!record) throw unauthorized('the API key is not known, or was revoked');
    if (!found.has(digest)) found.set(digest, record);
    return record;
  };
}

function unauthorized(detail: string): HttpProblem {
  const headers = { 'www-authenticate': 'Bearer realm="muster"' };
  return new HttpProblem({ status: 401, code: 'unauthorized', detail, headers });
}
