import type { FastifyRequest } from 'fastify';
import type { AuthMode } from '../../../shared/runtime/configuration/auth-settings.ts';
import type { CallerCounter } from './callers/caller-counter.ts';
import { batchLookups } from './credentials/batch-lookups.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { isReadMethod, isSameOrigin } from '../frame/server/same-origin.ts';
import type { SessionRecord, SessionStore } from './postgres/session-store.ts';
import type { PublicAddress } from '../../../shared/runtime/configuration/public-address.ts';
import type { SignIn } from './issuer/sign-in.ts';
import type { TokenAuthenticator } from './issuer/token-authenticator.ts';
import { isToken } from './issuer/verify-token.ts';
import { createCredentialCache } from './credentials/credential-cache.ts';
import { digestOfSecret, isCsrfToken, secretsInCookies, type CookiePlace } from './session-cookie.ts';
import type { ApiKeyRecord } from './credentials/postgres/key-rows.ts';
import type { KeyStore } from './credentials/postgres/key-store.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { digestOfApiKey, isGarbledApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';

/** Pattern of keys: issued keys and the bootstrap key match it. Any other text is refused without a look-up. */
const keyPattern = /^[\x21-\x7e]{16,512}$/;

export type { ApiKeyRecord, KeyStore };

/** Ways in which callers may authenticate: with keys, with tokens of an issuer, or with both. */
export interface AuthMethods {
  mode: AuthMode;
  /** URL of the issuer; null if only keys are accepted. */
  issuer: string | null;
  tokens: Pick<TokenAuthenticator, 'callerOf' | 'forgetAll'> | undefined;
  /** Sign-in through the issuer; undefined if the console does not use the issuer. */
  signIn: SignIn | undefined;
  /** Returns whether the last request to the issuer succeeded; null if none has been sent. */
  isIssuerAnswering(): boolean | null;
}

export const keysOnly: AuthMethods = {
  mode: 'keys',
  issuer: null,
  tokens: undefined,
  signIn: undefined,
  isIssuerAnswering: () => null,
};

export interface AuthenticateDeps {
  apiKeys: Pick<KeyStore, 'find'>;
  /** Default: only keys. */
  authMethods?: AuthMethods | undefined;
  /** Sessions; if undefined, cookies are ignored. */
  sessions?: Pick<SessionStore, 'find' | 'findLinks' | 'useLink'> | undefined;
  publicAddress?: PublicAddress | undefined;
  clock: Clock;
  onRefused?: (() => void) | undefined;
  /** Counts requests that used an expired or revoked key. */
  callerCounter?: Pick<CallerCounter, 'refused'> | undefined;
}

export interface CallerSession {
  /** Secret in the session's cookie. It is never displayed and never logged. */
  secret: string;
  digest: string;
  expiresAt: Date;
}

export interface Caller {
  apiKey: ApiKeyRecord;
  /** Session of the caller; null if the request has a key in its header. */
  session: CallerSession | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Id of the expired or revoked key in a request. The request is refused, and counted under this key. */
    endedKey: string | null;
  }
}

/** The parts of a request that authentication reads, and `endedKey`, which authentication sets. */
type AuthRequest = Pick<FastifyRequest, 'headers' | 'method' | 'ip'> & Partial<Pick<FastifyRequest, 'endedKey'>>;

export interface Authentication {
  /**
   * Returns the caller, from the header `Authorization: Bearer <key or token>` or from the cookie of a session.
   * Browsers send a cookie whichever page has made the request. A request with a cookie must therefore come from the
   * console's own pages, and if it changes something, it must also have the session's CSRF token.
   * @throws {HttpProblem} 401; 403 if the request comes from another origin or its token grants no role; 503 if a token
   * cannot be verified at present
   */
  callerOf(request: AuthRequest): Promise<Caller>;
  /**
   * Returns the key with this secret.
   * @throws {HttpProblem} 401 if there is none
   */
  verifyKey(secret: string, request: Pick<AuthRequest, 'ip' | 'endedKey'>): Promise<ApiKeyRecord>;
  /**
   * Returns the key of a log-in link, and makes the link invalid.
   * @throws {HttpProblem} 401 if the link was used before or is too old
   */
  redeemLink(secret: string): Promise<ApiKeyRecord>;
  /**
   * Requires that a request comes from the console's own pages.
   * @throws {HttpProblem} 403
   */
  requireSameOrigin(request: AuthRequest): void;
  /**
   * Removes a closed session from the cache. Without a digest, removes all cached keys and sessions, because a key has
   * changed.
   */
  forget(digest?: string): void;
}

export function createAuthenticate(deps: AuthenticateDeps): Authentication {
  const { apiKeys, authMethods = keysOnly, sessions, publicAddress, clock, onRefused, callerCounter } = deps;
  const { tokens } = authMethods;
  const keys = createCredentialCache({
    find: (digests) => apiKeys.find(digests),
    isGood: ({ isGood }) => isGood,
    clock,
  });
  const openSessions = createCredentialCache({
    find: async (digests) => (await sessions?.find(digests)) ?? new Map<string, SessionRecord>(),
    clock,
  });
  const findLink = batchLookups(async (digests) => (await sessions?.findLinks(digests)) ?? new Map<string, object>());
  const place = publicAddress && cookiePlaceOf(publicAddress);

  function refuse(detail: string): never {
    onRefused?.();
    throw unauthorized(detail);
  }

  /**
   * Returns true if a cached key is accepted under the present mode and issuer, which may have changed since it was
   * cached.
   */
  function isAccepted({ issuer }: ApiKeyRecord): boolean {
    return issuer === null ? authMethods.mode !== 'oidc' : issuer === authMethods.issuer;
  }

  async function verifyToken(
    token: string,
    from: string,
    door: Pick<TokenAuthenticator, 'callerOf'>,
  ): Promise<ApiKeyRecord> {
    try {
      return await door.callerOf(token, from);
    } catch (error) {
      if (error instanceof HttpProblem && error.status === 401) onRefused?.();
      throw error;
    }
  }

  async function verifyKey(secret: string, request: Pick<AuthRequest, 'ip' | 'endedKey'>): Promise<ApiKeyRecord> {
    if (authMethods.mode === 'oidc') refuse('keys are not accepted here (AUTH_MODE=oidc): send a token of the issuer');
    if (!keyPattern.test(secret)) refuse('this is not an API key: a key has 16 to 512 visible ASCII characters');
    if (isGarbledApiKey(secret)) refuse('this API key was mistyped or cut: its checksum does not match');
    const found = await keys.find(digestOfApiKey(secret));
    if (found?.isGood) return found.apiKey;
    if (found) {
      callerCounter?.refused(found.apiKey.key, request.ip);
      request.endedKey = found.apiKey.key;
    }
    return refuse('the API key is unknown, expired or revoked');
  }

  async function redeemLink(secret: string): Promise<ApiKeyRecord> {
    const used = 'this link was already used, or is too old: create another one';
    const digest = digestOfSecret(secret) ?? refuse(used);
    if (!(await findLink(digest))) refuse(used);
    const found = await sessions?.useLink(digest);
    return found && isAccepted(found) ? found : refuse(used);
  }

  function requireSameOrigin({ headers, method }: AuthRequest): void {
    if (!isSameOrigin(headers, method, publicAddress?.origin)) throw otherOrigin();
  }

  async function findSession(secret: string): Promise<(Caller & { session: CallerSession }) | undefined> {
    const digest = digestOfSecret(secret);
    if (digest === undefined) return undefined;
    const found = await openSessions.find(digest);
    if (!found || !isAccepted(found.apiKey)) return undefined;
    return { apiKey: found.apiKey, session: { secret, digest, expiresAt: found.expiresAt } };
  }

  async function authenticateCookies(secrets: readonly string[], request: AuthRequest): Promise<Caller> {
    requireSameOrigin(request);
    const found = await Promise.all(secrets.map(findSession));
    const caller = found.find((each) => each !== undefined) ?? refuse('the session has ended: log in again');
    const token = request.headers['x-csrf-token'];
    if (!isReadMethod(request.method) && !isCsrfToken(token, caller.session.secret)) throw missingCsrfToken();
    return caller;
  }

  return {
    callerOf: async (request) => {
      const { headers } = request;
      const [, key] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
      if (key !== undefined) {
        return {
          apiKey: await (tokens && isToken(key) ? verifyToken(key, request.ip, tokens) : verifyKey(key, request)),
          session: null,
        };
      }
      const inCookies = sessions && headers.authorization === undefined;
      const secrets = inCookies ? secretsInCookies(headers.cookie, place) : [];
      if (secrets.length > 0) return await authenticateCookies(secrets, request);
      return refuse(
        `this request needs the header Authorization: Bearer ${authMethods.mode === 'keys' ? '<API key>' : '<API key or token>'}`,
      );
    },
    verifyKey,
    redeemLink,
    requireSameOrigin,
    forget: (digest) => {
      if (digest !== undefined) {
        openSessions.forget(digest);
        return;
      }
      keys.forgetAll();
      tokens?.forgetAll();
      openSessions.forgetAll();
    },
  };
}

export function cookiePlaceOf({ origin, basePath }: PublicAddress): CookiePlace {
  return { basePath, isSecure: origin.startsWith('https:') };
}

function unauthorized(detail: string): HttpProblem {
  const headers = { 'www-authenticate': 'Bearer realm="muster"' };
  return new HttpProblem({ status: 401, code: 'unauthorized', detail, headers });
}

function otherOrigin(): HttpProblem {
  const detail =
    'this request comes from a page of another origin; behind a proxy, API_PUBLIC_URL has to be the address that people use';
  return new HttpProblem({ status: 403, code: 'other-origin', detail });
}

function missingCsrfToken(): HttpProblem {
  const detail = 'a change by session needs its token in the header X-CSRF-Token; GET /v1/session returns it';
  return new HttpProblem({ status: 403, code: 'csrf-token', detail });
}
