import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { DiscoveryDocument } from '../../../../shared/contracts/access/openid.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { OpenIdIssuer } from '../../../../shared/ports/openid.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';

const minuteMs = 60_000;
/** After so long they are asked for anew: so long a key that the issuer has withdrawn is still taken. */
export const freshMs = 10 * minuteMs;
/** So long they are believed while the issuer does not answer. */
export const believedMs = 60 * minuteMs;
/** How often a token may make us ask, by naming a key that is not known. */
export const unknownKeyPauseMs = 30_000;
/** How soon an issuer that did not answer is asked again. */
export const afterFailureMs = 10_000;

/** The issuer does not answer, and what it said before is too old. */
export class IssuerAwayError extends Error {
  override readonly name = 'IssuerAwayError';
}

export interface IssuerKeysDeps {
  provider: Pick<OpenIdIssuer, 'discover' | 'keys'>;
  clock: Clock;
  logger: Logger;
}

export interface IssuerKeys {
  /** For jose: the key of a token, asked for anew where it is not known. @throws {IssuerAwayError} */
  keyOf: JWTVerifyGetKey;
  /** @throws {IssuerAwayError} */
  discovered(): Promise<DiscoveryDocument>;
  /** Asks, where nothing is known; what fails is logged. */
  begin(): void;
  /** Null: it was not asked yet. */
  isAnswering(): boolean | null;
}

interface Known {
  discovered: DiscoveryDocument;
  keyOf: JWTVerifyGetKey;
  readAtMs: number;
}

/**
 * What an issuer says of itself, and its keys. One question to it is open at a time, however many requests wait for
 * the answer; and where there was none, no request waits: each is answered by what is known, and one of them lets the
 * issuer be asked again.
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
