import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { DiscoveryDocument } from '../../../../shared/contracts/access/openid.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { OpenIdIssuer } from '../../../../shared/ports/openid.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';

const minuteMs = 60_000;
/** Age at which keys are fetched again, in milliseconds. A withdrawn key is accepted for at most this long. */
export const freshMs = 10 * minuteMs;
/** Longest time, in milliseconds, that keys are used while the issuer is unavailable. */
export const believedMs = 60 * minuteMs;
/** Shortest time between two fetches caused by tokens that name an unknown key, in milliseconds. */
export const unknownKeyPauseMs = 30_000;
/** Pause between an unsuccessful request to the issuer and the next one, in milliseconds. */
export const afterFailureMs = 10_000;

/** Reports that the issuer is unavailable and its last documents are too old. */
export class IssuerAwayError extends Error {
  override readonly name = 'IssuerAwayError';
}

export interface IssuerKeysDeps {
  provider: Pick<OpenIdIssuer, 'discover' | 'keys'>;
  clock: Clock;
  logger: Logger;
}

export interface IssuerKeys {
  /** Key resolver for jose. Fetches the keys again if the key of a token is unknown. @throws {IssuerAwayError} */
  keyOf: JWTVerifyGetKey;
  /** @throws {IssuerAwayError} */
  discovered(): Promise<DiscoveryDocument>;
  /** Fetches the documents for the first time; failures are logged. */
  begin(): void;
  /** Null before the first request. */
  isAnswering(): boolean | null;
}

interface Known {
  discovered: DiscoveryDocument;
  keyOf: JWTVerifyGetKey;
  readAtMs: number;
}

/**
 * Caches the discovery document and the keys of an issuer. At most one fetch is under way, however many requests wait
 * for it. After a failure no request waits: each uses the cached documents, and one of them starts the next fetch.
 */
export function createIssuerKeys({ provider, clock, logger }: IssuerKeysDeps): IssuerKeys {
  let known: Known | undefined;
  let asking: Promise<void> | undefined;
  let askedAtMs = -Infinity;
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
    logger.warn({ cause: failure }, 'the issuer of tokens does not answer as it should, asking again');
  }

  function ask(): Promise<void> {
    if (asking) return asking;
    askedAtMs = clock.monotonicMs();
    asking = read().finally(() => (asking = undefined));
    return asking;
  }

  async function current(): Promise<Known> {
    if (known && ageMs() < freshMs) return known;
    if (failure === undefined) await ask();
    else if (clock.monotonicMs() - askedAtMs >= afterFailureMs) void ask();
    if (known && ageMs() < believedMs) return known;
    throw new IssuerAwayError(failure ?? 'it was not asked yet');
  }

  async function mayHaveAnother(): Promise<boolean> {
    if (failure !== undefined || clock.monotonicMs() - askedAtMs < unknownKeyPauseMs) return false;
    await ask();
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
    begin: () => void ask(),
    isAnswering: () => (askedAtMs === -Infinity ? null : failure === undefined),
  };
}
