import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { packageVersion } from '../../../shared/runtime/version.ts';
import type { ApiKeyRecord } from './postgres/key-rows.ts';
import { scopeView } from './api-key-view.ts';
import { keysAlone, type Authentication, type CallerSession, type Doors } from './authenticate.ts';
import { createBrowserSessions, type BrowserSessions } from './browser-sessions.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import {
  begunSignIn,
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
  /** IANA time zone. */
  zone: string;
}

export interface SessionRoutesDeps {
  sessions: SessionStore;
  installation: InstallationFacts;
  catalogue: CatalogueReader;
  clients: Pick<ClientReader, 'current'>;
  publicAddress?: PublicAddress | undefined;
  /** Defaults to keys alone. */
  doors?: Doors | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the request carries the key itself, and outside `/v1`. */
    session: CallerSession | null;
  }
}

const tags = ['session'];
const shown = jsonAnswer('Who is logged in, and what a page needs to go on', sessionShape);
const logInPath = '/log-in';
/** Bound on the body of a log-in, in bytes. Codes of some issuers are long. */
const maxLogInBytes = 4096;
const noBodyBytes = 64;

type Deps = SessionRoutesDeps & { authentication: Authentication };

export function sessionRoutes(server: HttpServer, deps: Deps): void {
  const opened = createBrowserSessions(deps);
  const viewOf = createSessionView(deps);
  logInRoute(server, deps, opened, viewOf);
  signInRoutes(server, deps, opened);
  ownSessionRoutes(server, opened, viewOf);
  everySessionRoute(server, opened);
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
  { authentication, doors = keysAlone }: Deps,
  opened: BrowserSessions,
  viewOf: SessionView,
): void {
  async function callerOf(request: FastifyRequest<{ Body: LogIn }>, reply: FastifyReply): Promise<LoggedIn> {
    const { apiKey = '', link, code, state = '' } = request.body;
    if (link !== undefined) return { by: 'link', apiKey: await authentication.ofLink(link) };
    if (code === undefined) return { by: 'key', apiKey: await authentication.ofKey(apiKey, request) };
    const { signIn } = doors;
    if (!signIn) throw noIssuer();
    // A code can be redeemed once, so its cookie is removed whatever the result.
    const person = await signIn.callerOf({ code, state, secrets: opened.endSignIn(request, reply), from: request.ip });
    const { role, scope } = person;
    return { by: 'issuer', apiKey: person, terms: { role, scope, maxMs: signIn.sessionMs } };
  }

  server.route({
    method: 'POST',
    url: '/session',
    // The caller has no verified key yet, so the body is small. No rate limit: bad log-ins must not block good ones.
    bodyLimit: maxLogInBytes,
    config: { role: 'anybody', isAnswerSecret: true, rateLimit: false, audit: 'logged in' },
    schema: {
      operationId: 'logIn',
      summary: 'Open a session by key, by a link that works once, or by what an issuer sent back',
      description:
        'For browsers, from a page of this origin: the session is a cookie that no script can read. It ends after twelve hours without use, ' +
        'after seven days, and with its key; one that an issuer vouches for after OIDC_SESSION_HOURS.',
      tags,
      security: [],
      body: logIn,
      response: { 200: shown, ...problems(409, 503) },
    },
    handler: async (request, reply) => {
      authentication.requireOurPage(request);
      const { by, apiKey, terms } = await callerOf(request, reply);
      const session = await opened.open(request, reply, apiKey, terms);
      request.apiKey = apiKey;
      request.auditDetail = { by };
      return viewOf(session.apiKey, csrfTokenOf(request.session?.secret ?? ''), session.expiresAt);
    },
  });
}

function signInRoutes(server: HttpServer, { authentication, doors = keysAlone }: Deps, opened: BrowserSessions): void {
  server.route({
    method: 'GET',
    url: '/session/ways',
    config: { role: 'anybody', rateLimit: false },
    schema: {
      operationId: 'listLogInWays',
      summary: 'By what a session is opened here: for the page that asks for it',
      tags,
      security: [],
      response: { 200: jsonAnswer('The ways', logInWays) },
    },
    handler: () => ({
      apiKey: doors.mode !== 'oidc',
      issuer: doors.signIn ? { name: doors.signIn.name } : null,
    }),
  });

  server.route({
    method: 'POST',
    url: '/session/sign-in',
    bodyLimit: noBodyBytes,
    // Nothing has changed yet, so the audit log needs no entry.
    config: { role: 'anybody', isAnswerSecret: true, rateLimit: false, isFrequent: true },
    schema: {
      operationId: 'beginSignIn',
      summary: 'Begin to sign in at the issuer',
      description:
        'For browsers, from a page of this origin: it answers where to go, and leaves a cookie by which this browser is known again. The issuer ' +
        'sends it back to `/log-in` with `code` and `state`, for `POST /v1/session`, within ten minutes.',
      tags,
      security: [],
      response: { 200: jsonAnswer('Where to go', begunSignIn), ...problems(409, 503) },
    },
    handler: async (request, reply) => {
      authentication.requireOurPage(request);
      if (!doors.signIn) throw noIssuer();
      return { url: await doors.signIn.addressFor(opened.beginSignIn(request, reply)) };
    },
  });
}

function noIssuer(): HttpProblem {
  const detail = 'nobody signs in here by an issuer: OIDC_CLIENT_ID is not set';
  return new HttpProblem({ status: 409, code: 'no-issuer', detail });
}

function ownSessionRoutes(server: HttpServer, opened: BrowserSessions, viewOf: SessionView): void {
  server.route({
    method: 'GET',
    url: '/session',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getSession',
      summary: 'Who asks: its key, its role, and the CSRF token of a session',
      tags,
      response: { 200: shown },
    },
    handler: ({ apiKey, session }) => {
      if (!apiKey) throw new Error('a route of a viewer was asked without a key');
      return viewOf(apiKey, session && csrfTokenOf(session.secret), session?.expiresAt ?? null);
    },
  });

  server.route({
    method: 'DELETE',
    url: '/session',
    config: { role: 'viewer', scope: 'own', audit: 'logged out' },
    schema: {
      operationId: 'logOut',
      summary: 'End the session that asks',
      tags,
      response: { 204: z.null().describe('It is over') },
    },
    handler: async (request, reply) => {
      await opened.close(request, reply);
      return reply.code(204).send(null);
    },
  });
}

function everySessionRoute(server: HttpServer, opened: BrowserSessions): void {
  server.route({
    method: 'DELETE',
    url: '/sessions',
    config: { role: 'viewer', scope: 'own', audit: 'logged out everywhere' },
    schema: {
      operationId: 'logOutEverywhere',
      summary: 'End all sessions of the key that asks, wherever they are, and take its links back',
      description: 'At once in the process that answers, within five seconds in the others.',
      tags,
      response: { 200: jsonAnswer('How many', endedSessions) },
    },
    handler: async (request, reply) => {
      const ended = await opened.closeAll(request, reply);
      request.auditDetail = { ended };
      return { ended };
    },
  });
}

function linkRoute(server: HttpServer, { sessions, publicAddress }: Deps): void {
  server.route({
    method: 'POST',
    url: '/session/links',
    config: { role: 'viewer', scope: 'own', isAnswerSecret: true, audit: 'made a log-in link' },
    schema: {
      operationId: 'createLogInLink',
      summary: 'Make a link that logs in once, within ten minutes',
      description:
        'By key alone: a session cannot make others of itself. It begins with API_PUBLIC_URL. Without that variable it is ' +
        'made for requests to localhost only (409 `no-public-url`).',
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

/** A link lasts as long as its key. A link made with a token would outlive the rights that the token grants. */
function notByToken(): HttpProblem {
  const detail = 'a link is made by key, not by a token: sign in by the issuer';
  return new HttpProblem({ status: 403, code: 'not-by-token', detail });
}

function notBySession(): HttpProblem {
  const detail = 'a link is made by key (Authorization: Bearer), not by a session';
  return new HttpProblem({ status: 403, code: 'not-by-session', detail });
}
