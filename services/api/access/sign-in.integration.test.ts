import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKeyShape } from '../../../shared/contracts/access/api-keys.ts';
import { auditRecord } from '../../../shared/contracts/access/audit.ts';
import { startedSignIn, sessionShape } from '../../../shared/contracts/access/sessions.ts';
import type { AuthMode, IssuerSettings } from '../../../shared/runtime/configuration/auth-settings.ts';
import { publicAddressOf } from '../../../shared/runtime/configuration/public-address.ts';
import { authorized, someCampaign, testApiKey } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import {
  startIssuer,
  type ReportedClaims,
  type SentBack,
  type TestIssuer,
} from '../../../test/support/openid-issuer.ts';
import { createApi, type Api } from '../api.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';
import { createAuthMethods } from './parts.ts';
import type { RefusedPerson } from './callers/caller-counter.ts';

const on = apiOnPostgres();

const hourMs = 3_600_000;
const ours = { host: 'muster.test', origin: 'https://muster.test' };

let issuer: TestIssuer;
let api: Api;
const closing: (() => unknown)[] = [];

/** Refused people, with their IP addresses. */
const refusals: [RefusedPerson, string | null][] = [];
const callerCounter = {
  personRefused: (...refused: (typeof refusals)[number]) => void refusals.push(refused),
};

async function begin(over: Partial<IssuerSettings> = {}, mode: AuthMode = 'both', publicUrl = 'https://muster.test') {
  const settings: IssuerSettings = {
    issuer: issuer.url,
    name: 'Example SSO',
    audiences: ['muster'],
    roleClaim: 'roles',
    scopeClaim: undefined,
    nameClaim: 'email',
    roles: [{ value: 'managers', role: 'manager' }],
    client: { id: 'console', secret: issuer.clientSecret, scope: 'openid email', sessionMs: 8 * hourMs },
    ...over,
  };
  const onClose: typeof on.deps.onClose = (resource, close) => {
    closing.unshift(() => close(resource));
    return resource;
  };
  const publicAddress = publicAddressOf(publicUrl);
  const authMethods = createAuthMethods(
    { auth: { mode, issuer: settings }, publicAddress },
    { ...on.deps, callerCounter, onClose },
  );
  api = await createApi({ ...on.deps, authMethods, publicAddress });
  closing.unshift(() => api.close());
}

beforeEach(async () => {
  issuer = await startIssuer({ now: () => on.deps.clock.now() });
  closing.push(() => issuer.stop());
  await begin();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Headers = Readonly<Record<string, string>>;

function ask(method: 'GET' | 'POST' | 'DELETE', url: string, headers: Headers = {}, payload?: object) {
  return api.server.inject({ method, url, headers: { ...ours, ...headers }, ...(payload && { payload }) });
}

const cookieIn = (response: { headers: { 'set-cookie'?: string | string[] | undefined } }, name: string) =>
  [response.headers['set-cookie'] ?? []].flat().find((cookie) => cookie.startsWith(name)) ?? '';
const valueOf = (cookie: string) => cookie.split(';')[0] ?? '';
const problemOf = (response: { json: () => unknown }) => problem.parse(response.json());

/** Returns a browser that has left for the issuer. */
async function leave(headers: Headers = {}) {
  const answer = await ask('POST', '/v1/session/sign-in', headers);
  expect(answer.statusCode).toBe(200);
  const cookie = cookieIn(answer, '__Host-muster-sign-in');
  return { url: startedSignIn.parse(answer.json()).url, setCookie: cookie, cookie: valueOf(cookie) };
}

const comeBack = (sent: SentBack, cookie: string, headers: Headers = {}) =>
  ask('POST', '/v1/session', { ...headers, ...(cookie !== '' && { cookie }) }, sent);

/** Returns a browser that is signed in. */
async function signIn(claims: ReportedClaims = {}) {
  const { url, cookie } = await leave();
  const answer = await comeBack(issuer.signIn(url, { email: 'ada@example.com', ...claims }), cookie);
  expect(answer.statusCode, answer.body).toBe(200);
  const session = sessionShape.parse(answer.json());
  const opened = valueOf(cookieIn(answer, '__Host-muster-session'));
  return { answer, session, browser: { cookie: opened, 'x-csrf-token': session.csrfToken ?? '' } };
}

describe('signing in at the issuer', () => {
  it('requests a code with PKCE, and with a new state and a new nonce', async () => {
    const [first, second] = [await leave(), await leave()];
    const parameters = new URL(first.url).searchParams;
    expect(first.url.startsWith(`${issuer.url}/authorize?`)).toBe(true);
    expect(Object.fromEntries(parameters)).toMatchObject({
      response_type: 'code',
      client_id: 'console',
      redirect_uri: 'https://muster.test/log-in',
      scope: 'openid email',
      code_challenge_method: 'S256',
    });
    const secrets = ['state', 'nonce', 'code_challenge'].map((name) => parameters.get(name) ?? '');
    expect(secrets.map(({ length }) => length)).toEqual([43, 43, 43]);
    expect(new Set(secrets).size).toBe(3);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(new URL(second.url).searchParams.get(name)).not.toBe(parameters.get(name));
    }
    expect(first.setCookie).toMatch(
      /^__Host-muster-sign-in=\S{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(first.url).not.toContain(first.cookie.split('=')[1]);
  });

  it('opens a session with the role that the token grants, and ends the sign-in', async () => {
    const { answer, session, browser } = await signIn();
    expect(session).toMatchObject({ keyName: 'ada@example.com', role: 'manager' });
    expect(session.expiresAt).toBe('2026-01-01T08:00:00.000Z');
    expect(cookieIn(answer, '__Host-muster-sign-in')).toContain('Max-Age=0');
    expect(cookieIn(answer, '__Host-muster-session')).toMatch(/; Max-Age=28800; .*SameSite=Strict$/);
    expect((await ask('POST', '/v1/campaigns', browser, someCampaign)).statusCode).toBe(201);
    const { 'x-csrf-token': _, ...withoutToken } = browser;
    expect(problemOf(await ask('POST', '/v1/campaigns', withoutToken, someCampaign)).code).toBe('csrf-token');
    expect((await ask('GET', '/v1/api-keys', browser)).statusCode).toBe(403);
  });

  it('is in the audit log, with the issuer and the name of the person', async () => {
    await signIn();
    const log = await ask('GET', '/v1/audit', authorized);
    expect(pageShape(auditRecord).parse(log.json()).items).toMatchObject([
      { keyName: 'ada@example.com', route: '/v1/session', status: 200, detail: { by: 'issuer' } },
    ]);
  });

  it('stores none of its secrets in a table', async () => {
    const { url, cookie } = await leave();
    const sent = issuer.signIn(url);
    await comeBack(sent, cookie);
    const kept = JSON.stringify(
      await Promise.all(['sessions', 'audit_log', 'api_keys', 'idempotency_keys'].map(on.rowsOf)),
    );
    for (const secret of [sent.code, sent.state, cookie.split('=')[1] ?? '']) expect(kept).not.toContain(secret);
  });

  it('closes the session that the browser had before', async () => {
    const first = await signIn();
    const { url, cookie } = await leave();
    const both = `${cookie}; ${first.browser.cookie}`;
    expect((await comeBack(issuer.signIn(url), both)).statusCode).toBe(200);
    expect((await ask('GET', '/v1/session', first.browser)).statusCode).toBe(401);
  });

  it('returns to the path of the public address, whatever address is in the request', async () => {
    await begin({}, 'both', 'https://example.com/muster');
    const headers = { origin: 'https://example.com', host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    const answer = await ask('POST', '/v1/session/sign-in', headers);
    const { url } = startedSignIn.parse(answer.json());
    expect(new URL(url).searchParams.get('redirect_uri')).toBe('https://example.com/muster/log-in');
    expect(cookieIn(answer, '__Secure-muster-sign-in')).toContain('; Path=/muster; ');
  });
});

describe('a sign-in', () => {
  const refused = async (answer: Awaited<ReturnType<typeof ask>>, status: number, code: string) => {
    expect([answer.statusCode, problemOf(answer).code]).toEqual([status, code]);
    expect(cookieIn(answer, '__Host-muster-session')).toBe('');
    expect(await on.rowsOf('sessions')).toEqual([]);
  };

  it('is refused with the state of another sign-in, and in a browser that did not begin it', async () => {
    const [mine, other] = [await leave(), await leave()];
    const sent = issuer.signIn(mine.url);
    await refused(await comeBack(sent, other.cookie), 401, 'sign-in-over');
    await refused(await comeBack(sent, ''), 401, 'sign-in-over');
    await refused(await comeBack({ ...sent, state: '' }, mine.cookie), 401, 'sign-in-over');
    await refused(await comeBack({ ...sent, state: `${sent.state}x` }, mine.cookie), 401, 'sign-in-over');
    expect(issuer.requested).not.toContain('/token');
    expect((await comeBack(sent, mine.cookie)).statusCode).toBe(200);
  });

  it('is refused with a used code', async () => {
    const { url, cookie } = await leave();
    const sent = issuer.signIn(url);
    expect((await comeBack(sent, cookie)).statusCode).toBe(200);
    await on.pool.query('delete from sessions');
    await refused(await comeBack(sent, cookie), 401, 'sign-in-refused');
    expect(problemOf(await comeBack(sent, cookie)).detail).toContain('invalid_grant');
  });

  it('is refused with the code of another sign-in, because the browser lacks the verifier of that sign-in', async () => {
    const [mine, victims] = [await leave(), await leave()];
    const { code } = issuer.signIn(victims.url);
    const { state } = issuer.signIn(mine.url);
    await refused(await comeBack({ code, state }, mine.cookie), 401, 'sign-in-refused');
  });

  it.each([
    [{ nonce: 'of another sign-in' }, 401, 'unauthorized'],
    [{ nonce: undefined }, 401, 'unauthorized'],
    [{ aud: 'muster' }, 401, 'unauthorized'],
    [{ aud: ['console', 'other'], azp: 'other' }, 401, 'unauthorized'],
    [{ iss: 'https://another.example' }, 401, 'unauthorized'],
    [{ exp: 1 }, 401, 'unauthorized'],
    [{ roles: ['strangers'] }, 403, 'no-role'],
  ])('is refused if the ID token has the claims %j', async (claims, status, code) => {
    const { url, cookie } = await leave();
    await refused(await comeBack(issuer.signIn(url, claims), cookie), status, code);
  });

  it('is counted as refused only if the issuer has verified the person', async () => {
    refusals.length = 0;
    const claims = { roles: ['strangers'], email: 'ada@example.com', email_verified: true };
    for (const identity of [claims, { ...claims, nonce: 'of another sign-in' }]) {
      const { url, cookie } = await leave();
      await comeBack(issuer.signIn(url, identity), cookie);
    }
    expect(refusals).toMatchObject([
      [{ issuer: issuer.url, subject: 'ada', name: 'ada@example.com', code: 'no-role' }, '127.0.0.1'],
    ]);
  });

  it('is refused from a page of another origin, when it begins and when it ends', async () => {
    const elsewhere = { origin: 'https://evil.example' };
    expect(problemOf(await ask('POST', '/v1/session/sign-in', elsewhere)).code).toBe('other-origin');
    const { url, cookie } = await leave();
    await refused(await comeBack(issuer.signIn(url), cookie, elsewhere), 403, 'other-origin');
  });

  it('is refused with 503 while the issuer is unavailable, and keys can still log in', async () => {
    const { url, cookie } = await leave();
    const sent = issuer.signIn(url);
    issuer.answerWith = (_path, response) => (response.writeHead(500).end(), true);
    await refused(await comeBack(sent, cookie), 503, 'issuer-unavailable');
    expect((await ask('POST', '/v1/session', {}, { apiKey: testApiKey })).statusCode).toBe(200);
  });

  it.each([{ code: 'x' }, { state: 'x' }, { code: 'x', state: 'y', apiKey: testApiKey }, { code: '', state: 'y' }])(
    'is refused with %j, which is an incomplete response of an issuer',
    async (body) => {
      expect((await ask('POST', '/v1/session', {}, body)).statusCode).toBe(422);
    },
  );

  it('is refused if no issuer is configured', async () => {
    await begin({ client: undefined });
    expect(problemOf(await ask('POST', '/v1/session/sign-in')).code).toBe('no-issuer');
    expect(problemOf(await ask('POST', '/v1/session', {}, { code: 'x', state: 'y' })).code).toBe('no-issuer');
  });
});

describe('the session of a person', () => {
  it('ends at its maximum duration even if it is used, so that the issuer decides again', async () => {
    const { browser } = await signIn();
    for (let hour = 0; hour < 7; hour++) {
      await on.passTime(hourMs);
      expect((await ask('GET', '/v1/session', browser)).statusCode).toBe(200);
    }
    await on.passTime(hourMs + 1000);
    expect((await ask('GET', '/v1/session', browser)).statusCode).toBe(401);
  });

  it('keeps the rights with which it was opened, whatever other tokens of the person grant', async () => {
    await begin({
      roles: [
        { value: 'admins', role: 'operator' },
        { value: 'managers', role: 'manager' },
      ],
    });
    const { browser } = await signIn();
    const authorization = `Bearer ${await issuer.token({ claims: { roles: ['admins'] } })}`;
    expect((await ask('GET', '/v1/api-keys', { authorization })).statusCode).toBe(200);
    await on.passTime(120_000);
    expect((await ask('GET', '/v1/api-keys', { authorization })).statusCode).toBe(200);
    expect((await ask('GET', '/v1/api-keys', browser)).statusCode).toBe(403);
    expect(sessionShape.parse((await ask('GET', '/v1/session', browser)).json()).role).toBe('manager');
  });

  it('has the scope of its token', async () => {
    await begin({ scopeClaim: 'muster' });
    const { session, browser } = await signIn({ muster: ['country:SG'] });
    expect(session.scope).toEqual({ clients: null, countries: ['SG'], actionTypes: null, users: false });
    expect(problemOf(await ask('POST', '/v1/campaigns', browser, someCampaign)).code).toBe('out-of-scope');
  });

  it('ends in every browser when the person is shut out', async () => {
    const { browser } = await signIn();
    const listed = pageShape(apiKeyShape).parse((await ask('GET', '/v1/api-keys', authorized)).json());
    const { id = '' } = listed.items.find(({ person }) => person !== null) ?? {};
    await ask('DELETE', `/v1/api-keys/${id}`, authorized);
    expect((await ask('GET', '/v1/session', browser)).statusCode).toBe(401);
    const { url, cookie } = await leave();
    expect(problemOf(await comeBack(issuer.signIn(url), cookie)).code).toBe('shut-out');
  });

  it('ends when the person logs out, in this browser or in all', async () => {
    const [here, there] = [await signIn(), await signIn()];
    expect((await ask('DELETE', '/v1/session', here.browser)).statusCode).toBe(204);
    expect((await ask('GET', '/v1/session', here.browser)).statusCode).toBe(401);
    expect((await ask('DELETE', '/v1/sessions', there.browser)).json()).toEqual({ ended: 1 });
  });

  it('ends if its issuer is replaced, and a session with a key ends if keys are no longer accepted', async () => {
    const person = await signIn();
    const byKey = await ask('POST', '/v1/session', {}, { apiKey: testApiKey });
    const ofKey = { cookie: valueOf(cookieIn(byKey, '__Host-muster-session')) };
    await begin({}, 'oidc');
    expect((await ask('GET', '/v1/session', ofKey)).statusCode).toBe(401);
    expect((await ask('GET', '/v1/session', person.browser)).statusCode).toBe(200);
    await begin({ issuer: 'https://another.example' });
    expect((await ask('GET', '/v1/session', person.browser)).statusCode).toBe(401);
    expect((await ask('GET', '/v1/session', ofKey)).statusCode).toBe(200);
  });
});

it('the log-in page receives the available log-in methods', async () => {
  expect((await ask('GET', '/v1/session/ways')).json()).toEqual({ apiKey: true, issuer: { name: 'Example SSO' } });
  await begin({}, 'oidc');
  expect((await ask('GET', '/v1/session/ways')).json()).toEqual({ apiKey: false, issuer: { name: 'Example SSO' } });
  await begin({ client: undefined });
  expect((await ask('GET', '/v1/session/ways')).json()).toEqual({ apiKey: true, issuer: null });
});
