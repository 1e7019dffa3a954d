import { z } from 'zod';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { CallbackEndpoint, CallLimits } from '../ports/callback-endpoint.ts';
import type { Authorization } from '../ports/client-terms.ts';

/** Data of a token request in the client credentials flow (RFC 6749, section 4.4). */
export interface TokenTerms {
  limits: CallLimits;
  tokenUrl: string;
  /** Client id at the token server. */
  id: string;
  secret: string;
  scope: string | null;
}

export interface AccessTokens {
  /** Returns the cached token, or requests a new one; concurrent callers share one request. Never throws. */
  authorization(): Authorization | Promise<Authorization>;
  /**
   * Reports that a receiver refused the token. A later call then requests a new token.
   * @param value authorization header as sent
   */
  refused(value: string): void;
}

/**
 * A token is not used any more when it expires in less than this many milliseconds, so that it is still valid when the
 * call arrives.
 */
const marginMs = 30_000;
/** Lifetime in milliseconds that is assumed for a token if the server's response does not contain one. */
const usualLifeMs = 300_000;
const maxLifeMs = 24 * 3_600_000;
/** Pause in milliseconds after a failed token request. The pause doubles with each failure, from `first` to `last`. */
const pauseMs = { first: 1000, last: 60_000 };
/**
 * Minimum time in milliseconds between token requests, so that a receiver that refuses every token does not cause a
 * request per call.
 */
const leastBetweenMs = 5000;

const given = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().positive().optional(),
});

export interface AccessTokensDeps {
  endpoint: CallbackEndpoint;
  clock: Clock;
}

/**
 * Creates the access tokens of one client, who has its own credentials. If token requests fail, only the calls of this
 * client wait.
 */
export function createAccessTokens(terms: TokenTerms, { endpoint, clock }: AccessTokensDeps): AccessTokens {
  let held:
    { authorization: Extract<Authorization, { kind: 'header' }>; requestedAtMs: number; untilMs: number } | undefined;
  let failed: { cause: string; failures: number; untilMs: number } | undefined;
  let asking: Promise<Authorization> | undefined;

  async function ask(): Promise<Authorization> {
    const requestedAtMs = clock.monotonicMs();
    const answer = await endpoint.call(tokenRequest(terms, requestedAtMs));
    const token = answer.kind === 'answered' && answer.status === 200 ? tokenIn(answer.body) : undefined;
    if (!token) {
      const why =
        answer.kind !== 'answered' ? answer.cause : answer.status === 200 ? 'no token' : `status ${answer.status}`;
      return fail(`no access token for its client: ${why}`);
    }
    failed = undefined;
    const lifeMs = Math.min(maxLifeMs, token.expires_in === undefined ? usualLifeMs : token.expires_in * 1000);
    const untilMs = requestedAtMs + Math.max(lifeMs / 2, lifeMs - marginMs);
    const value = `Bearer ${token.access_token}`;
    held = {
      authorization: { kind: 'header', value, secrets: [token.access_token, terms.secret] },
      requestedAtMs,
      untilMs,
    };
    return held.authorization;
  }

  function fail(cause: string): Authorization {
    const failures = (failed?.failures ?? 0) + 1;
    const forMs = Math.min(pauseMs.last, pauseMs.first * 2 ** (failures - 1));
    failed = { cause, failures, untilMs: clock.monotonicMs() + forMs };
    return { kind: 'unsent', cause };
  }

  return {
    authorization: () => {
      const nowMs = clock.monotonicMs();
      if (held && nowMs < held.untilMs) return held.authorization;
      if (failed && nowMs < failed.untilMs) return { kind: 'unsent', cause: failed.cause };
      return (asking ??= ask().finally(() => (asking = undefined)));
    },
    refused: (value) => {
      if (held?.authorization.value !== value) return;
      held.untilMs = Math.min(held.untilMs, held.requestedAtMs + leastBetweenMs);
    },
  };
}

function tokenRequest({ limits, tokenUrl, id, secret, scope }: TokenTerms, requestedAtMs: number) {
  const { origin, pathname, search } = new URL(tokenUrl);
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope === null ? {} : { scope }) });
  const credentials = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');
  const headers = ['authorization', `Basic ${credentials}`, 'content-type', 'application/x-www-form-urlencoded'];
  headers.push('accept', 'application/json', 'user-agent', 'muster');
  const path = pathname + search;
  return {
    limits,
    method: 'POST',
    origin,
    path,
    headers,
    body: Buffer.from(form.toString()),
    notAfterMs: requestedAtMs + 1000,
  };
}

/** Encodes text as `application/x-www-form-urlencoded`, as RFC 6749, section 2.3.1, requires for credentials. */
function formEncoded(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2);
}

function tokenIn(body: Buffer): z.output<typeof given> | undefined {
  try {
    return given.safeParse(JSON.parse(body.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
