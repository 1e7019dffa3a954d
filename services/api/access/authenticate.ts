import type { FastifyRequest } from 'fastify';
import type { AuthMode } from '../../../shared/runtime/configuration/auth-settings.ts';
import type { CallerNotes } from './callers/caller-notes.ts';
import { findTogether } from './find-together.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { isLook, isSameOrigin } from '../frame/server/same-origin.ts';
import type { SessionRecord, SessionStore } from './postgres/session-store.ts';
import type { PublicAddress } from '../../../shared/runtime/configuration/public-address.ts';
import type { SignIn } from './issuer/sign-in.ts';
import type { TokenDoor } from './issuer/token-door.ts';
import { isToken } from './issuer/verify-token.ts';
import { rememberCredentials } from './remembered-credentials.ts';
import { digestOfSecret, isCsrfToken, secretsInCookies, type CookiePlace } from './session-cookie.ts';
import type { ApiKeyRecord } from './postgres/key-rows.ts';
import type { KeyStore } from './postgres/key-store.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { digestOfApiKey, isGarbledApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';

/** Pattern of keys, both of issued keys and of the bootstrap key. Anything else is refused without a look-up. */
const keyPattern = /^[\x21-\x7e]{16,512}$/;

export type { ApiKeyRecord, KeyStore };

/** Ways to authenticate: keys, tokens of an issuer, or both. */
export interface Doors {
  mode: AuthMode;
  /** Null if only keys are accepted. */
  issuer: string | null;
  tokens: Pick<TokenDoor, 'callerOf' | 'forgetAll'> | undefined;
  /** Undefined if the console does not sign in through the issuer. */
  signIn: SignIn | undefined;
  /** Returns whether the last request to the issuer succeeded; null if none has been sent. */
  isIssuerAnswering(): boolean | null;
}

export const keysAlone: Doors = {
  ...{ mode: 'keys', issuer: null, tokens: undefined, signIn: undefined },
  isIssuerAnswering: () => null,
};

export interface AuthenticateDeps {
  apiKeys: Pick<KeyStore, 'find'>;
  /** Defaults to keys alone. */
  doors?: Doors | undefined;
  /** Undefined means that cookies are ignored. */
  sessions?: Pick<SessionStore, 'find' | 'findLinks' | 'useLink'> | undefined;
  publicAddress?: PublicAddress | undefined;
  clock: Clock;
  onRefused?: (() => void) | undefined;
  /** Counts requests that used an expired or revoked key. */
  callerNotes?: Pick<CallerNotes, 'refused'> | undefined;
}

export interface CallerSession {
  /** Secret of the cookie. Never shown and never logged. */
  secret: string;
  digest: string;
  expiresAt: Date;
}

export interface Caller {
  apiKey: ApiKeyRecord;
  /** Null for a key in the header. */
  session: CallerSession | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The expired or revoked key of a request. The request is refused, but its key is known and counted. */
    endedKey: string | null;
  }
}

/** Parts of a request that authentication reads, and `endedKey`, which it writes. */
type Asked = Pick<FastifyRequest, 'headers' | 'method' | 'ip'> & Partial<Pick<FastifyRequest, 'endedKey'>>;

export interface Authentication {
  /**
   * Returns the caller, by `Authorization: Bearer <key or token>` or by the cookie of a session. Browsers send a cookie
   * whichever page made the request. A request with a cookie therefore has to come from our own pages. If the request
   * changes something, it also needs the session's CSRF token.
   * @throws {HttpProblem} 401, 403 if it comes from another origin or its token has no role, 503 while a token cannot
   * be verified
   */
  callerOf(request: Asked): Promise<Caller>;
  /** @throws {HttpProblem} 401 for an unknown key */
  ofKey(secret: string, asked: Pick<Asked, 'ip' | 'endedKey'>): Promise<ApiKeyRecord>;
  /** Uses up the link. @throws {HttpProblem} 401 for a link that is used or too old */
  ofLink(secret: string): Promise<ApiKeyRecord>;
  /** @throws {HttpProblem} 403 for a request that does not come from our own pages */
  requireOurPage(request: Asked): void;
  /** Forgets a closed session; without a digest, all remembered credentials, because a key has changed. */
  forget(digest?: string): void;
}

export function createAuthenticate(deps: AuthenticateDeps): Authentication {
  const { apiKeys, doors = keysAlone, sessions, publicAddress, clock, onRefused, callerNotes } = deps;
  const { tokens } = doors;
  const keys = rememberCredentials({
    find: (digests) => apiKeys.find(digests),
    isGood: ({ isGood }) => isGood,
    clock,
  });
  const opened = rememberCredentials({
    find: async (digests) => (await sessions?.find(digests)) ?? new Map<string, SessionRecord>(),
    clock,
  });
  const findLink = findTogether(async (digests) => (await sessions?.findLinks(digests)) ?? new Map<string, object>());
  const place = publicAddress && cookiePlaceOf(publicAddress);

  function refuse(detail: string): never {
    onRefused?.();
    throw unauthorized(detail);
  }

  /** Returns true if a remembered key is accepted under the current mode and issuer, which may have changed since. */
  function isTaken({ issuer }: ApiKeyRecord): boolean {
    return issuer === null ? doors.mode !== 'oidc' : issuer === doors.issuer;
  }

  async function ofToken(token: string, from: string, door: Pick<TokenDoor, 'callerOf'>): Promise<ApiKeyRecord> {
    try {
      return await door.callerOf(token, from);
    } catch (error) {
      if (error instanceof HttpProblem && error.status === 401) onRefused?.();
      throw error;
    }
  }

  async function ofKey(secret: string, asked: Pick<Asked, 'ip' | 'endedKey'>): Promise<ApiKeyRecord> {
    if (doors.mode === 'oidc') refuse('keys are not taken here (AUTH_MODE=oidc): a token of the issuer is');
    if (!keyPattern.test(secret)) refuse('this is no API key: they are 16 to 512 visible ASCII characters');
    if (isGarbledApiKey(secret)) refuse('this API key was mistyped or cut: its checksum does not fit');
    const found = await keys.find(digestOfApiKey(secret));
    if (found?.isGood) return found.apiKey;
    if (found) {
      callerNotes?.refused(found.apiKey.key, asked.ip);
      asked.endedKey = found.apiKey.key;
    }
    return refuse('the API key is not known, has expired or was revoked');
  }

  async function ofLink(secret: string): Promise<ApiKeyRecord> {
    const used = 'this link was used already, or is too old: make another one';
    const digest = digestOfSecret(secret) ?? refuse(used);
    if (!(await findLink(digest))) refuse(used);
    const found = await sessions?.useLink(digest);
    return found && isTaken(found) ? found : refuse(used);
  }

  function requireOurPage({ headers, method }: Asked): void {
    if (!isSameOrigin(headers, method, publicAddress?.origin)) throw fromElsewhere();
  }

  async function ofSession(secret: string): Promise<(Caller & { session: CallerSession }) | undefined> {
    const digest = digestOfSecret(secret);
    if (digest === undefined) return undefined;
    const found = await opened.find(digest);
    if (!found || !isTaken(found.apiKey)) return undefined;
    return { apiKey: found.apiKey, session: { secret, digest, expiresAt: found.expiresAt } };
  }

  async function ofCookies(secrets: readonly string[], request: Asked): Promise<Caller> {
    requireOurPage(request);
    const found = await Promise.all(secrets.map(ofSession));
    const caller = found.find((each) => each !== undefined) ?? refuse('the session is over: log in again');
    const token = request.headers['x-csrf-token'];
    if (!isLook(request.method) && !isCsrfToken(token, caller.session.secret)) throw withoutToken();
    return caller;
  }

  return {
    callerOf: async (request) => {
      const { headers } = request;
      const [, key] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
      if (key !== undefined) {
        return {
          apiKey: await (tokens && isToken(key) ? ofToken(key, request.ip, tokens) : ofKey(key, request)),
          session: null,
        };
      }
      const inCookies = sessions && headers.authorization === undefined;
      const secrets = inCookies ? secretsInCookies(headers.cookie, place) : [];
      if (secrets.length > 0) return await ofCookies(secrets, request);
      return refuse(
        `this needs the header Authorization: Bearer ${doors.mode === 'keys' ? '<API key>' : '<API key or token>'}`,
      );
    },
    ofKey,
    ofLink,
    requireOurPage,
    forget: (digest) => {
      if (digest !== undefined) {
        opened.forget(digest);
        return;
      }
      keys.forgetAll();
      tokens?.forgetAll();
      opened.forgetAll();
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

function fromElsewhere(): HttpProblem {
  const detail =
    'this comes from a page of another origin; where a proxy stands before the API, API_PUBLIC_URL has to say the address that people use';
  return new HttpProblem({ status: 403, code: 'other-origin', detail });
}

function withoutToken(): HttpProblem {
  const detail = 'a change by session needs its token in the header X-CSRF-Token; GET /v1/session tells it';
  return new HttpProblem({ status: 403, code: 'csrf-token', detail });
}
