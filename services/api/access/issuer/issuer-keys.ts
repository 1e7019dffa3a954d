import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { DiscoveryDocument } from '../../../../shared/contracts/access/openid.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { OpenIdIssuer } from '../../../../shared/ports/openid.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';

const minuteMs = 60_000;
/**
 * Age in milliseconds at which keys are fetched again. A key that the issuer has withdrawn is accepted for at most this
 * long.
 */
export const refreshAfterMs = 10 * minuteMs;
/** Maximum age in milliseconds of keys that are used while the issuer is unavailable. */
export const maxStaleMs = 60 * minuteMs;
/** Minimum time in milliseconds between two fetches that are caused by tokens with an unknown key id. */
export const unknownKeyPauseMs = 30_000;
/** Minimum time in milliseconds between a failed request to the issuer and the next request. */
export const retryAfterFailureMs = 10_000;

/** The issuer is unavailable, and its last documents are too old. */
export class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError';
}

export interface IssuerKeysDeps {
  provider: Pick<OpenIdIssuer, 'discover' | 'keys'>;
  clock: Clock;
  logger: Logger;
}

export interface IssuerKeys {
  /**
   * Key resolver for the package jose. Fetches the keys again if a key is unknown.
   * @throws {IssuerUnavailableError}
   */
  keyOf: JWTVerifyGetKey;
  /**
   * Returns the discovery document.
   * @throws {IssuerUnavailableError}
   */
  discovered(): Promise<DiscoveryDocument>;
  /** Fetches the documents for the first time, without waiting for them. Failures are logged. */
  begin(): void;
  /** Returns whether the last request to the issuer succeeded; null before the first request. */
  isAnswering(): boolean | null;
}

interface Known {
  discovered: DiscoveryDocument;
  keyOf: JWTVerifyGetKey;
  readAtMs: number;
}

/**
 * Caches the discovery document and the keys of an issuer. At most one fetch is in progress, however many requests wait
 * for it. After a failed fetch, no request waits: each uses the cached documents, and one of them starts the next
 * fetch.
 */
export function createIssuerKeys({ provider, clock, logger }: IssuerKeysDeps): IssuerKeys {
  let known: Known | undefined;
  let pending: Promise<void> | undefined;
  let requestedAtMs = -Infinity;
  let failure: string | undefined;

  const ageMs = () => (known === undefined ? Infinity : clock.monotonicMs() - known.readAtMs);

  async function read(): Promise<void> {
    const discovered = await provider.discover();
    const keys = discovered.ok ? await provider.keys(discovered.value) : discovered;
    if (discovered.ok && keys.ok) {
      if (failure !== undefined) logger.info('the issuer of tokens answers again');
      failure = undefined;
      const keyOf = createLocalJWKSet(keys.value);
      known = { discovered: discovered.value, keyOf, readAtMs: clock.monotonicMs() };
      return;
    }
    failure = keys.ok ? 'unknown' : keys.cause;
    logger.warn({ cause: failure }, 'a request to the issuer of tokens failed and will be repeated');
  }

  function refresh(): Promise<void> {
    if (pending) return pending;
    requestedAtMs = clock.monotonicMs();
    pending = read().finally(() => (pending = undefined));
    return pending;
  }

  async function current(): Promise<Known> {
    if (known && ageMs() < refreshAfterMs) return known;
    if (failure === undefined) await refresh();
    else if (clock.monotonicMs() - requestedAtMs >= retryAfterFailureMs) void refresh();
    if (known && ageMs() < maxStaleMs) return known;
    throw new IssuerUnavailableError(failure ?? 'no request was sent yet');
  }

  async function mayHaveAnother(): Promise<boolean> {
    if (failure !== undefined || clock.monotonicMs() - requestedAtMs < unknownKeyPauseMs) return false;
    await refresh();
    return true;
  }

  return {
    keyOf: async (header, token) => {
      const { keyOf } = await current();
      try {
        return await keyOf(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !(await mayHaveAnother())) throw error;
        return await (await current()).keyOf(header, token);
      }
    },
    discovered: async () => (await current()).discovered,
    begin: () => void refresh(),
    isAnswering: () => (requestedAtMs === -Infinity ? null : failure === undefined),
  };
}
