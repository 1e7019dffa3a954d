import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { packageVersion } from '../../../shared/runtime/version.ts';
import type { ApiKeyRecord } from './credentials/postgres/key-rows.ts';
import { scopeView } from './api-key-view.ts';
import { keysOnly, type Authentication, type CallerSession, type AuthMethods } from './authenticate.ts';
import { createBrowserSessions, type BrowserSessions } from './browser-sessions.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import {
  startedSignIn,
  endedSessions,
  logIn,
  logInLink,
  logInWays,
  sessionShape,
  type LogIn,
} from '../../../shared/contracts/access/sessions.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { headersOfSecretAnswers } from '../frame/server/idempotency.ts';
import { linkOriginOf } from './link-origin.ts';
import type { SessionStore, SessionTerms } from './postgres/session-store.ts';
import type { PublicAddress } from '../../../shared/runtime/configuration/public-address.ts';
import { csrfTokenOf, digestOfSecret, newSessionSecret } from './session-cookie.ts';

export interface InstallationFacts {
  name: string | null;
  /** IANA time zone in which the console displays times. */
  zone: string;
}

export interface SessionRoutesDeps {
  sessions: SessionStore;
  installation: InstallationFacts;
  catalogue: CatalogueReader;
  clients: Pick<ClientReader, 'current'>;
  publicAddress?: PublicAddress | undefined;
  /** Default: only keys. */
  authMethods?: AuthMethods | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Session of the caller. Null if the request has a key in its header, and for routes outside of `/v1`. */
    session: CallerSession | null;
  }
}

const tags = ['session'];
const sessionAnswer = jsonAnswer('The caller, and the settings that a page needs', sessionShape);
const logInPath = '/log-in';
/** Maximum size of the body of a log-in in bytes. Some issuers have long codes. */
const maxLogInBytes = 4096;
const noBodyBytes = 64;

type Deps = SessionRoutesDeps & { authentication: Authentication };

export function sessionRoutes(server: HttpServer, deps: Deps): void {
  const browserSessions = createBrowserSessions(deps);
  const viewOf = createSessionView(deps);
  logInRoute(server, deps, browserSessions, viewOf);
  signInRoutes(server, deps, browserSessions);
  ownSessionRoutes(server, browserSessions, viewOf);
  allSessionsRoute(server, browserSessions);
  linkRoute(server, deps);
}

type SessionView = ReturnType<typeof createSessionView>;

function createSessionView({ installation, catalogue, clients }: Pick<Deps, 'installation' | 'catalogue' | 'clients'>) {
  return ({ key, name, role, scope }: ApiKeyRecord, csrfToken: string | null, expiresAt: Date | null) => {
    const { countries = null } = catalogue.current();
    return {
      keyId: publicId('apiKey', key),
      keyName: name,
      role,
      scope: scopeView(scope, clients),
      csrfToken,
      expiresAt: expiresAt?.toISOString() ?? null,
      installation: { ...installation, version: packageVersion, countries: countries && [...countries] },
    };
  };
}

interface LoggedIn {
  by: 'key' | 'link' | 'issuer';
  apiKey: ApiKeyRecord;
  terms?: SessionTerms;
}

function logInRoute(
  server: HttpServer,
  { authentication, authMethods = keysOnly }: Deps,
  browserSessions: BrowserSessions,
  viewOf: SessionView,
): void {
  async function callerOf(request: FastifyRequest<{ Body: LogIn }>, reply: FastifyReply): Promise<LoggedIn> {
    const { apiKey = '', link, code, state = '' } = request.body;
    if (link !== undefined) return { by: 'link', apiKey: await authentication.redeemLink(link) };
    if (code === undefined) return { by: 'key', apiKey: await authentication.verifyKey(apiKey, request) };
    const { signIn } = authMethods;
    if (!signIn) throw signInNotConfigured();
    // A code can be redeemed only once, so the cookie is removed whether the sign-in succeeds or not.
    const person = await signIn.callerOf({
      code,
      state,
      secrets: browserSessions.endSignIn(request, reply),
      from: request.ip,
    });
    const { role, scope } = person;
    return { by: 'issuer', apiKey: person, terms: { role, scope, maxMs: signIn.sessionMs } };
  }

  server.route({
    method: 'POST',
    url: '/session',
    // The caller is not authenticated yet, so only a small body is read. There is no rate limit, because failed log-ins
    // must not block others.
    bodyLimit: maxLogInBytes,
    config: { role: 'anybody', isAnswerSecret: true, rateLimit: false, audit: 'logged in' },
    schema: {
      operationId: 'logIn',
      summary: 'Open a session with a key, a single-use link, or the response of an issuer',
      description:
        'For browsers, from a page of the same origin. The session is a cookie that scripts cannot read. It ' +
        'ends after twelve hours without use, after seven days, or with its key. A session of a person of an ' +
        'issuer ends after OIDC_SESSION_HOURS.',
      tags,
      security: [],
      body: logIn,
      response: { 200: sessionAnswer, ...problems(409, 503) },
    },
    handler: async (request, reply) => {
      authentication.requireSameOrigin(request);
      const { by, apiKey, terms } = await callerOf(request, reply);
      const session = await browserSessions.open(request, reply, apiKey, terms);
      request.apiKey = apiKey;
      request.auditDetail = { by };
      return viewOf(session.apiKey, csrfTokenOf(request.session?.secret ?? ''), session.expiresAt);
    },
  });
}

function signInRoutes(
  server: HttpServer,
  { authentication, authMethods = keysOnly }: Deps,
  browserSessions: BrowserSessions,
): void {
  server.route({
    method: 'GET',
    url: '/session/ways',
    config: { role: 'anybody', rateLimit: false },
    schema: {
      operationId: 'listLogInWays',
      summary: 'List the ways to log in, for the log-in page',
      tags,
      security: [],
      response: { 200: jsonAnswer('The ways to log in', logInWays) },
    },
    handler: () => ({
      apiKey: authMethods.mode !== 'oidc',
      issuer: authMethods.signIn ? { name: authMethods.signIn.name } : null,
    }),
  });

  server.route({
    method: 'POST',
    url: '/session/sign-in',
    bodyLimit: noBodyBytes,
    // Nothing is changed at this point, so there is nothing to record in the audit log.
    config: { role: 'anybody', isAnswerSecret: true, rateLimit: false, isFrequent: true },
    schema: {
      operationId: 'beginSignIn',
      summary: 'Begin a sign-in at the issuer',
      description:
        'For browsers, from a page of the same origin. The response has the URL of the issuer, and sets a ' +
        'cookie that identifies the browser. The issuer sends the browser back to `/log-in` with `code` and ' +
        '`state`, which `POST /v1/session` accepts within ten minutes.',
      tags,
      security: [],
      response: { 200: jsonAnswer('The URL of the issuer', startedSignIn), ...problems(409, 503) },
    },
    handler: async (request, reply) => {
      authentication.requireSameOrigin(request);
      if (!authMethods.signIn) throw signInNotConfigured();
      return { url: await authMethods.signIn.addressFor(browserSessions.beginSignIn(request, reply)) };
    },
  });
}

function signInNotConfigured(): HttpProblem {
  const detail = 'there is no sign-in through an issuer here: OIDC_CLIENT_ID is not set';
  return new HttpProblem({ status: 409, code: 'no-issuer', detail });
}

function ownSessionRoutes(server: HttpServer, browserSessions: BrowserSessions, viewOf: SessionView): void {
  server.route({
    method: 'GET',
    url: '/session',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getSession',
      summary: 'Show the key of the caller, its role, and the CSRF token of a session',
      tags,
      response: { 200: sessionAnswer },
    },
    handler: ({ apiKey, session }) => {
      if (!apiKey) throw new Error('a route for viewers received a request without a key');
      return viewOf(apiKey, session && csrfTokenOf(session.secret), session?.expiresAt ?? null);
    },
  });

  server.route({
    method: 'DELETE',
    url: '/session',
    config: { role: 'viewer', scope: 'own', audit: 'logged out' },
    schema: {
      operationId: 'logOut',
      summary: 'End the session of the request',
      tags,
      response: { 204: z.null().describe('The session has ended') },
    },
    handler: async (request, reply) => {
      await browserSessions.close(request, reply);
      return reply.code(204).send(null);
    },
  });
}

function allSessionsRoute(server: HttpServer, browserSessions: BrowserSessions): void {
  server.route({
    method: 'DELETE',
    url: '/sessions',
    config: { role: 'viewer', scope: 'own', audit: 'logged out everywhere' },
    schema: {
      operationId: 'logOutEverywhere',
      summary: 'End all sessions of the key, and revoke its links',
      description: 'The process that answers applies it at once, the others within five seconds.',
      tags,
      response: { 200: jsonAnswer('The number of ended sessions', endedSessions) },
    },
    handler: async (request, reply) => {
      const ended = await browserSessions.closeAll(request, reply);
      request.auditDetail = { ended };
      return { ended };
    },
  });
}

function linkRoute(server: HttpServer, { sessions, publicAddress }: Deps): void {
  server.route({
    method: 'POST',
    url: '/session/links',
    config: { role: 'viewer', scope: 'own', isAnswerSecret: true, audit: 'created a log-in link' },
    schema: {
      operationId: 'createLogInLink',
      summary: 'Create a link that logs in once, within ten minutes',
      description:
        'Requires a key: a session cannot create further sessions. The link begins with API_PUBLIC_URL. ' +
        'Without that variable, links are created only for requests to localhost (409 `no-public-url`).',
      tags,
      headers: headersOfSecretAnswers,
      response: { 201: jsonAnswer('The link', logInLink), ...problems(409) },
    },
    handler: async (request, reply) => {
      if (request.session) throw notBySession();
      if ((request.apiKey?.issuer ?? null) !== null) throw notByToken();
      const base = linkOriginOf(publicAddress, request.headers.host);
      const link = newSessionSecret();
      const expiresAt = await sessions.addLink(digestOfSecret(link) ?? '', request.apiKey?.key ?? '');
      return reply
        .code(201)
        .send({ link, url: `${base}${logInPath}#link=${link}`, expiresAt: expiresAt.toISOString() });
    },
  });
}

/**
 * Returns the problem for a caller with a token that requests a log-in link. A link is valid as long as its key. A link
 * of a person would therefore be valid longer than the rights that the token grants.
 */
function notByToken(): HttpProblem {
  const detail = 'only a key can create a link, not a token: sign in through the issuer';
  return new HttpProblem({ status: 403, code: 'not-by-token', detail });
}

function notBySession(): HttpProblem {
  const detail = 'only a key (Authorization: Bearer) can create a link, not a session';
  return new HttpProblem({ status: 403, code: 'not-by-session', detail });
}
