import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeyRecord } from './credentials/postgres/key-rows.ts';
import type { PublicAddress } from '../../../shared/runtime/configuration/public-address.ts';
import { cookiePlaceOf, type Authentication } from './authenticate.ts';
import {
  digestOfSecret,
  newSessionSecret,
  secretsInCookies,
  cookieAt,
  type CookieKind,
  type CookiePlace,
} from './session-cookie.ts';
import type { SessionRecord, SessionStore, SessionTerms } from './postgres/session-store.ts';
import { sessionMaxMs, signInLifeMs } from './session-lives.ts';

export interface BrowserSessionsDeps {
  sessions: SessionStore;
  authentication: Authentication;
  publicAddress?: PublicAddress | undefined;
}

export interface BrowserSessions {
  /**
   * Opens a session with a new secret, and closes the session that the browser had before, which prevents session
   * fixation.
   * @param terms if undefined, the session has the rights of its key and the maximum duration
   */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    apiKey: ApiKeyRecord,
    terms?: SessionTerms,
  ): Promise<SessionRecord>;
  /** Closes the session of a request, if there is one. */
  close(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * Closes all sessions of the caller's key.
   * @returns the number of closed sessions
   */
  closeAll(request: FastifyRequest, reply: FastifyReply): Promise<number>;
  /**
   * Sets a cookie with a new secret. With this cookie, the API recognizes the browser when it returns from the issuer.
   */
  beginSignIn(request: FastifyRequest, reply: FastifyReply): string;
  /** Returns the secrets of the sign-ins that this browser has begun, and removes their cookies. */
  endSignIn(request: FastifyRequest, reply: FastifyReply): string[];
}

export function createBrowserSessions({
  sessions,
  authentication,
  publicAddress,
}: BrowserSessionsDeps): BrowserSessions {
  const place = publicAddress && cookiePlaceOf(publicAddress);

  /**
   * Returns the place (host, path and protocol) for which cookies are set. If no public address is configured, the
   * `Origin` header tells if HTTPS is used.
   */
  function placeFor({ headers }: FastifyRequest): CookiePlace {
    return place ?? { basePath: '', isSecure: headers.origin?.startsWith('https:') ?? false };
  }

  interface Cookie {
    kind: CookieKind;
    secret: string;
    /** Duration of the cookie in milliseconds; 0 deletes the cookie. */
    maxMs: number;
  }

  function setCookie(request: FastifyRequest, reply: FastifyReply, { kind, secret, maxMs }: Cookie): void {
    const { name, attributes } = cookieAt(placeFor(request), kind);
    void reply.setCookie(name, secret, { ...attributes, maxAge: Math.floor(maxMs / 1000) });
  }

  const gone = { kind: 'session', secret: '', maxMs: 0 } as const;

  async function closeFormer({ headers }: FastifyRequest): Promise<void> {
    for (const secret of secretsInCookies(headers.cookie, place)) {
      const former = digestOfSecret(secret);
      if (former === undefined) continue;
      authentication.forget(former);
      await sessions.close(former);
    }
  }

  return {
    open: async (request, reply, apiKey, terms) => {
      await closeFormer(request);
      const secret = newSessionSecret();
      const digest = digestOfSecret(secret) ?? '';
      const session = await sessions.open(digest, apiKey.key, terms);
      setCookie(request, reply, { kind: 'session', secret, maxMs: terms?.maxMs ?? sessionMaxMs });
      request.session = { secret, digest, expiresAt: session.expiresAt };
      return session;
    },
    close: async (request, reply) => {
      if (!request.session) return;
      authentication.forget(request.session.digest);
      await sessions.close(request.session.digest);
      setCookie(request, reply, gone);
    },
    closeAll: async (request, reply) => {
      const ended = await sessions.closeAll(request.apiKey?.key ?? '');
      authentication.forget();
      if (request.session) setCookie(request, reply, gone);
      return ended;
    },
    beginSignIn: (request, reply) => {
      const secret = newSessionSecret();
      setCookie(request, reply, { kind: 'sign-in', secret, maxMs: signInLifeMs });
      return secret;
    },
    endSignIn: (request, reply) => {
      const secrets = secretsInCookies(request.headers.cookie, place, 'sign-in');
      setCookie(request, reply, { ...gone, kind: 'sign-in' });
      return secrets.filter((secret) => digestOfSecret(secret) !== undefined);
    },
  };
}
