import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeyRecord } from './postgres/key-store.ts';
import type { PublicAddress } from '../../../shared/runtime/configuration/public-address.ts';
import { cookiePlaceOf, type Authentication } from './authenticate.ts';
import {
  digestOfSecret,
  newSessionSecret,
  secretsInCookies,
  sessionCookieAt,
  type CookiePlace,
} from './session-cookie.ts';
import type { SessionRecord, SessionStore } from './postgres/session-store.ts';
import { sessionMaxMs } from './session-lives.ts';

export interface BrowserSessionsDeps {
  sessions: SessionStore;
  authentication: Authentication;
  publicAddress?: PublicAddress | undefined;
}

/** Sessions as browsers have them: a row, and the cookie whose secret it is found by. */
export interface BrowserSessions {
  /**
   * A secret of its own for each log-in: the session that the browser had before is closed, so no one can have laid it
   * there.
   */
  open(request: FastifyRequest, reply: FastifyReply, apiKey: ApiKeyRecord): Promise<SessionRecord>;
  /** The one that asks, if it is one. */
  close(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Those of the key that asks, wherever they are. @returns how many */
  closeAll(request: FastifyRequest, reply: FastifyReply): Promise<number>;
}

export function createBrowserSessions({
  sessions,
  authentication,
  publicAddress,
}: BrowserSessionsDeps): BrowserSessions {
  const place = publicAddress && cookiePlaceOf(publicAddress);

  /** Without a public address, the browser tells by its `Origin` whether it came by https. */
  function placeFor({ headers }: FastifyRequest): CookiePlace {
    return place ?? { basePath: '', isSecure: headers.origin?.startsWith('https:') ?? false };
  }

  function setCookie(request: FastifyRequest, reply: FastifyReply, secret: string, maxAge: number): void {
    const { name, attributes } = sessionCookieAt(placeFor(request));
    void reply.setCookie(name, secret, { ...attributes, maxAge });
  }

  async function closeFormer({ headers }: FastifyRequest): Promise<void> {
    for (const secret of secretsInCookies(headers.cookie, place)) {
      const former = digestOfSecret(secret);
      if (former === undefined) continue;
      authentication.forget(former);
      await sessions.close(former);
    }
  }

  return {
    open: async (request, reply, apiKey) => {
      await closeFormer(request);
      const secret = newSessionSecret();
      const digest = digestOfSecret(secret) ?? '';
      const session = await sessions.open(digest, apiKey.key);
      setCookie(request, reply, secret, sessionMaxMs / 1000);
      request.session = { secret, digest, expiresAt: session.expiresAt };
      return session;
    },
    close: async (request, reply) => {
      if (!request.session) return;
      authentication.forget(request.session.digest);
      await sessions.close(request.session.digest);
      setCookie(request, reply, '', 0);
    },
    closeAll: async (request, reply) => {
      const ended = await sessions.closeAll(request.apiKey?.key ?? '');
      authentication.forget();
      if (request.session) setCookie(request, reply, '', 0);
      return ended;
    },
  };
}
