import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditRecord } from '../../../shared/contracts/access/audit.ts';
import { roles, type Role } from '../../../shared/domain/roles.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { digestOfApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';
import { authorized, someCampaign, testApiKey } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { createApi, type Api } from '../api.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';
import { logInLink, sessionShape } from '../../../shared/contracts/access/sessions.ts';
import { createHttpServer } from '../frame/server/create-http-server.ts';
import { requireDeclaredRoles } from './route-roles.ts';
import { publicAddressOf } from '../../../shared/runtime/configuration/public-address.ts';

const on = apiOnPostgres();

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const ours = { host: 'muster.test', origin: 'http://muster.test' };
/** Without a public address, a log-in link is only created for localhost. */
const here = { host: 'localhost:8080', origin: 'http://localhost:8080' };

let api: Api;
let logged: string;

async function begin(over: { publicUrl?: string } = {}) {
  logged = '';
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged += chunk.toString();
      done();
    },
  });
  const publicAddress = over.publicUrl === undefined ? undefined : publicAddressOf(over.publicUrl);
  api = await createApi({ ...on.deps, publicAddress, logger: pino({ level: 'trace' }, sink) });
}
beforeEach(() => begin());
afterEach(() => api.close());

type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';

function ask(method: Method, url: string, headers: Record<string, string> = {}, payload?: object) {
  const from = { remoteAddress: headers['x-test-address'] ?? '10.0.0.1' };
  return api.server.inject({ method, url, headers: { ...ours, ...headers }, ...from, ...(payload && { payload }) });
}

/** Logs in. Returns what a browser keeps: the cookie, and the CSRF token for changes. */
async function logIn(body: object = { apiKey: testApiKey }, headers: Record<string, string> = {}) {
  const response = await ask('POST', '/v1/session', headers, body);
  const [setCookie = ''] = [response.headers['set-cookie']].flat();
  const session = sessionShape.parse(response.json());
  const [cookie = ''] = setCookie.split(';');
  return { session, setCookie, browser: { cookie, 'x-csrf-token': session.csrfToken ?? '' } };
}

async function addKey(name: string, role: Role) {
  const secret = `muster_${name.padEnd(20, '-')}`;
  const { key } = await on.deps.apiKeys.add({ name, digest: digestOfApiKey(secret), role });
  return { secret, key, headers: { authorization: `Bearer ${secret}` } };
}

const codeOf = (response: { json: () => unknown }) => problem.parse(response.json()).code;

describe('logging in by key', () => {
  it('returns the key, and sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const { session, setCookie, browser } = await logIn();

    expect(session).toMatchObject({
      keyName: 'a test',
      role: 'operator',
      installation: { name: 'Tests', zone: 'Asia/Singapore', countries: ['SG', 'ID', 'VN'] },
    });
    expect(setCookie.split('; ').slice(1)).toEqual(['Max-Age=604800', 'Path=/', 'HttpOnly', 'SameSite=Strict']);
    const again = await ask('GET', '/v1/session', browser);
    expect(again.statusCode).toBe(200);
    expect(sessionShape.parse(again.json())).toEqual(session);
  });

  it('keeps the secret of the cookie out of the response, the tables and the log', async () => {
    const { browser, session } = await logIn();
    const secret = browser.cookie.split('=')[1] ?? '';
    await ask('GET', '/v1/session', browser);

    expect(secret).toHaveLength(43);
    expect(JSON.stringify(session)).not.toContain(secret);
    expect(JSON.stringify(await on.rowsOf('sessions'))).not.toContain(secret);
    for (const hidden of [secret, session.csrfToken ?? '', testApiKey]) expect(logged).not.toContain(hidden);
  });

  it('is in the audit log under the name of the key', async () => {
    const { browser } = await logIn();
    const listed = await ask('GET', '/v1/audit', browser);
    expect(pageShape(auditRecord).parse(listed.json()).items).toMatchObject([
      { keyName: 'a test', method: 'POST', route: '/v1/session', status: 200, detail: { by: 'key' } },
    ]);
  });

  it('is refused with an unknown key, and unknown keys never block a valid one', async () => {
    for (let number = 0; number < 100; number++) {
      const answer = await ask('POST', '/v1/session', {}, { apiKey: `muster_nobody-has-this-${number}` });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await ask('POST', '/v1/session', {}, { apiKey: testApiKey })).statusCode).toBe(200);
  });

  it('reads only a small body, because the key is not verified yet', async () => {
    const answer = await ask('POST', '/v1/session', {}, { apiKey: 'x'.repeat(5000) });
    expect(answer.statusCode).toBe(413);
  });

  it('has no limit by the address of the caller', async () => {
    const answer = await ask('POST', '/v1/session', {}, { apiKey: testApiKey });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
  });

  it.each([{}, { apiKey: testApiKey, link: 'x' }, { apikey: testApiKey }, { apiKey: 7 }])(
    'needs either a key or a link, and refuses the body %j with 422',
    async (body) => {
      expect((await ask('POST', '/v1/session', {}, body)).statusCode).toBe(422);
    },
  );

  it('is refused from another origin, so that no page can log a browser in as another user', async () => {
    const body = { apiKey: testApiKey };
    const answers = await Promise.all([
      ask('POST', '/v1/session', { origin: 'https://evil.example' }, body),
      ask('POST', '/v1/session', { 'sec-fetch-site': 'same-site' }, body),
      api.server.inject({ method: 'POST', url: '/v1/session', headers: { host: 'muster.test' }, payload: body }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403]);
    expect(answers.map(codeOf)).toEqual(Array<string>(3).fill('other-origin'));
    expect(await on.rowsOf('sessions')).toEqual([]);
  });

  it('accepts JSON, and no HTML form', async () => {
    const headers = { ...ours, 'content-type': 'text/plain' };
    const payload = JSON.stringify({ apiKey: testApiKey });
    const response = await api.server.inject({ method: 'POST', url: '/v1/session', headers, payload });
    expect(response.statusCode).toBe(415);
  });

  it('creates a new session, whatever cookie the browser has, and closes the former one', async () => {
    const first = await logIn();
    const second = await logIn({ apiKey: testApiKey }, { cookie: first.browser.cookie });
    const laid = await logIn({ apiKey: testApiKey }, { cookie: `muster-session=${'a'.repeat(43)}` });

    expect(second.browser.cookie).not.toBe(first.browser.cookie);
    expect((await ask('GET', '/v1/session', first.browser)).statusCode).toBe(401);
    expect((await ask('GET', '/v1/session', second.browser)).statusCode).toBe(200);
    expect(laid.browser.cookie).not.toContain('aaaa');
  });
});

describe('the cookie', () => {
  it('is bound to the host and to HTTPS, if the browser uses HTTPS', async () => {
    const { setCookie, browser } = await logIn({ apiKey: testApiKey }, { origin: 'https://muster.test' });
    expect(setCookie).toMatch(/^__Host-muster-session=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect((await ask('GET', '/v1/session', browser)).statusCode).toBe(200);
  });

  it('has the base path of the public address', async () => {
    await api.close();
    await begin({ publicUrl: 'https://example.com/muster/' });
    const { setCookie, browser } = await logIn({ apiKey: testApiKey }, { origin: 'https://example.com' });
    expect(setCookie).toMatch(/^__Secure-muster-session=.*; Path=\/muster; HttpOnly; Secure; SameSite=Strict$/);
    expect((await ask('GET', '/v1/session', browser)).statusCode).toBe(200);
    // This is the same path as a proxy sends it that does not remove the base path.
    expect((await ask('GET', '/muster/v1/session', browser)).statusCode).toBe(200);
  });

  it('is ignored under a name that plain HTTP can set if the public address uses HTTPS', async () => {
    await api.close();
    await begin({ publicUrl: 'https://muster.test' });
    const { browser } = await logIn({ apiKey: testApiKey }, { origin: 'https://muster.test' });
    const cookie = browser.cookie.replace('__Host-', '');
    expect((await ask('GET', '/v1/session', { cookie })).statusCode).toBe(401);
  });

  it('is found among up to five cookies with its name, even if other services of the host have set the others', async () => {
    const { browser } = await logIn();
    const others = [`muster-session=${'A'.repeat(43)}`, 'muster-session=rubbish', 'other=1', 'muster-session='];
    const beside = { ...browser, cookie: [...others, browser.cookie].join('; ') };
    expect((await ask('GET', '/v1/session', beside)).statusCode).toBe(200);
    expect((await ask('POST', '/v1/campaigns', beside, someCampaign)).statusCode).toBe(201);
    const { 'x-csrf-token': _, ...withoutToken } = beside;
    expect((await ask('POST', '/v1/campaigns', withoutToken, someCampaign)).statusCode).toBe(403);
    const sixth = { cookie: [...others, others[0], others[0], browser.cookie].join('; ') };
    expect((await ask('GET', '/v1/session', sixth)).statusCode).toBe(401);

    expect((await ask('DELETE', '/v1/session', beside)).statusCode).toBe(204);
    expect((await ask('GET', '/v1/session', browser)).statusCode).toBe(401);
  });

  it('is ignored if the request also has a key in its header', async () => {
    const { browser } = await logIn();
    expect(
      (await ask('GET', '/v1/session', { ...browser, authorization: 'Bearer nobody-has-this-key' })).statusCode,
    ).toBe(401);
    expect((await ask('GET', '/v1/session', { ...browser, authorization: 'Basic Zm9v' })).statusCode).toBe(401);
    const byKey = await ask('GET', '/v1/session', { cookie: 'muster-session=rubbish', ...authorized });
    expect(sessionShape.parse(byKey.json())).toMatchObject({ keyName: 'a test', csrfToken: null, expiresAt: null });
  });

  it('does not authenticate a request that reports receipts', async () => {
    const { browser } = await logIn();
    const response = await ask('POST', '/v1/receipts', browser, { receipts: [] });
    expect(response.statusCode).toBe(401);
  });
});

describe('a change that is made with a session', () => {
  it('needs its CSRF token: a missing, foreign or shortened one is refused without an effect', async () => {
    const [mine, other] = [await logIn(), await logIn()];
    const { cookie, 'x-csrf-token': token } = mine.browser;
    const wrong = [
      {},
      { 'x-csrf-token': '' },
      { 'x-csrf-token': token.slice(1) },
      { 'x-csrf-token': other.browser['x-csrf-token'] },
    ];
    for (const each of wrong) {
      const refused = await ask('POST', '/v1/campaigns', { cookie, ...each }, someCampaign);
      expect([refused.statusCode, codeOf(refused)]).toEqual([403, 'csrf-token']);
    }
    expect(await on.rowsOf('campaigns')).toEqual([]);
    expect((await ask('POST', '/v1/campaigns', mine.browser, someCampaign)).statusCode).toBe(201);
  });

  it.each(['POST', 'PATCH', 'DELETE'] as const)(
    'is refused for the method %s from another origin, with or without a token',
    async (method) => {
      const { browser } = await logIn();
      for (const elsewhere of [
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'cross-site' },
      ]) {
        const refused = await ask(method, '/v1/sessions', { ...browser, ...elsewhere });
        expect([refused.statusCode, refused.statusCode === 403 ? codeOf(refused) : method]).toEqual([
          403,
          'other-origin',
        ]);
      }
    },
  );

  it('is recorded under the name of the key', async () => {
    const { browser } = await logIn();
    await ask('POST', '/v1/campaigns', browser, someCampaign);
    const listed = pageShape(auditRecord).parse((await ask('GET', '/v1/audit', browser)).json()).items;
    expect(listed[0]).toMatchObject({ keyName: 'a test', route: '/v1/campaigns', status: 201 });
  });
});

it('a read with a session from a page of a sibling host is refused', async () => {
  const { browser } = await logIn();
  const refused = await ask('GET', '/v1/campaigns', { ...browser, 'sec-fetch-site': 'same-site' });
  expect([refused.statusCode, codeOf(refused)]).toEqual([403, 'other-origin']);
});

describe('a session', () => {
  it('ends at once when the user logs out, and its cookie is deleted', async () => {
    const { browser } = await logIn();
    await ask('GET', '/v1/session', browser);
    const out = await ask('DELETE', '/v1/session', browser);
    expect(out.statusCode).toBe(204);
    expect(out.headers['set-cookie']).toContain('muster-session=; Max-Age=0; Path=/');
    expect((await ask('GET', '/v1/session', browser)).statusCode).toBe(401);
  });

  it('ends in all browsers if the user requests that, and sessions of other keys continue', async () => {
    const viewer = await addKey('viewer', 'viewer');
    const [here, there, other] = [await logIn(), await logIn(), await logIn({ apiKey: viewer.secret })];
    const out = await ask('DELETE', '/v1/sessions', here.browser);
    expect(out.json()).toEqual({ ended: 2 });
    expect((await ask('GET', '/v1/session', here.browser)).statusCode).toBe(401);
    expect((await ask('GET', '/v1/session', there.browser)).statusCode).toBe(401);
    expect((await ask('GET', '/v1/session', other.browser)).statusCode).toBe(200);
  });

  it('ends with its key, within five seconds', async () => {
    const { browser } = await logIn();
    await ask('GET', '/v1/session', browser);
    await on.deps.apiKeys.revoke(on.key);
    await on.passTime(5_001);
    expect((await ask('GET', '/v1/session', browser)).statusCode).toBe(401);
  });

  it('ends after twelve hours without use', async () => {
    const { browser } = await logIn();
    await on.passTime(12 * hourMs - minuteMs);
    expect((await ask('GET', '/v1/session', browser)).statusCode).toBe(200);
    await on.passTime(12 * hourMs + minuteMs);
    expect((await ask('GET', '/v1/session', browser)).statusCode).toBe(401);
  });
});

describe('a log-in link', () => {
  async function makeLink() {
    const response = await ask('POST', '/v1/session/links', { ...authorized, ...here });
    expect(response.statusCode).toBe(201);
    return logInLink.parse(response.json());
  }

  it('logs in once', async () => {
    const { link, url } = await makeLink();
    expect(url).toBe(`http://localhost:8080/log-in#link=${link}`);
    const { session } = await logIn({ link });
    expect(session).toMatchObject({ keyName: 'a test', role: 'operator' });
    const again = await ask('POST', '/v1/session', {}, { link });
    expect([again.statusCode, again.headers['set-cookie']]).toEqual([401, undefined]);
  });

  it('logs in only one of two requests that are sent at the same time', async () => {
    const { link } = await makeLink();
    const answers = await Promise.all([1, 2, 3].map(() => ask('POST', '/v1/session', {}, { link })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401]);
  });

  it('is valid for ten minutes', async () => {
    const { link } = await makeLink();
    await on.passTime(10 * minuteMs);
    expect((await ask('POST', '/v1/session', {}, { link })).statusCode).toBe(401);
  });

  it('is in no log, no table and no stored response', async () => {
    const headers = { ...authorized, ...here, 'idempotency-key': 'k' };
    const first = logInLink.parse((await ask('POST', '/v1/session/links', headers)).json());
    expect(codeOf(await ask('POST', '/v1/session/links', headers))).toBe('secret-not-kept');
    const second = await makeLink();
    await ask('POST', '/v1/session', {}, { link: first.link });
    const kept = JSON.stringify([
      await on.rowsOf('session_links'),
      await on.rowsOf('idempotency_keys'),
      await on.rowsOf('audit_log'),
    ]);
    expect(second.link).not.toBe(first.link);
    for (const { link } of [first, second]) {
      expect(kept).not.toContain(link);
      expect(logged).not.toContain(link);
    }
  });

  it('opens no session if it was guessed, and a wrong guess does not use up a real link', async () => {
    const { link } = await makeLink();
    for (let number = 0; number < 100; number++) {
      const guess = String(number).padStart(43, 'x');
      expect((await ask('POST', '/v1/session', {}, { link: guess })).statusCode).toBe(401);
    }
    expect((await ask('POST', '/v1/session', {}, { link })).statusCode).toBe(200);
  });

  it('cannot be created by a session', async () => {
    const { browser } = await logIn();
    const refused = await ask('POST', '/v1/session/links', browser);
    expect([refused.statusCode, codeOf(refused)]).toEqual([403, 'not-by-session']);
  });

  it('is refused for any host but localhost, because a request can forge its Host header', async () => {
    const refused = await ask('POST', '/v1/session/links', { ...authorized, host: 'evil.example' });
    expect([refused.statusCode, codeOf(refused)]).toEqual([409, 'no-public-url']);
    expect(await on.rowsOf('session_links')).toEqual([]);
  });

  it('begins with the public address of the console', async () => {
    await api.close();
    await begin({ publicUrl: 'https://example.com/muster' });
    expect((await makeLink()).url).toMatch(/^https:\/\/example\.com\/muster\/log-in#link=/);
    const elsewhere = await ask('POST', '/v1/session/links', { ...authorized, host: 'evil.example' });
    expect(logInLink.parse(elsewhere.json()).url).toMatch(/^https:\/\/example\.com\/muster\/log-in#link=/);
  });
});

describe('the role of a key', () => {
  const routes = {
    viewer: ['GET', '/v1/campaigns'],
    scheduler: ['POST', '/v1/schedules'],
    manager: ['POST', '/v1/campaigns'],
    approver: ['POST', `/v1/campaigns/${publicId('campaign', crypto.randomUUID())}/approve`],
    operator: ['POST', '/v1/quarantine/messages/replay'],
  } as const;

  it.each([
    ['viewer', ['viewer']],
    ['scheduler', ['viewer', 'scheduler']],
    ['manager', ['viewer', 'manager']],
    ['approver', ['viewer', 'approver']],
    ['operator', ['viewer', 'scheduler', 'manager', 'approver', 'operator']],
  ] as const)('gives, for %s, exactly the rights of %j', async (role, allowed) => {
    const { headers } = await addKey('someone', role);
    for (const needed of roles) {
      const [method, url] = routes[needed];
      const response = await ask(method, url, headers, method === 'GET' ? undefined : {});
      if (allowed.some((each) => each === needed)) expect(response.statusCode).not.toBe(403);
      else {
        expect(response.statusCode).toBe(403);
        expect(problem.parse(response.json())).toMatchObject({ code: 'forbidden', requiredRole: needed });
      }
    }
  });

  it('applies to a session in the same way as to its key', async () => {
    const { secret } = await addKey('someone', 'viewer');
    const { browser } = await logIn({ apiKey: secret });
    const refused = await ask('POST', '/v1/campaigns', browser, someCampaign);
    expect(problem.parse(refused.json())).toMatchObject({ code: 'forbidden', requiredRole: 'manager' });
  });

  it('is checked before the body is read, so an invalid body does not change the refusal', async () => {
    const { headers } = await addKey('someone', 'viewer');
    expect((await ask('POST', '/v1/campaigns', headers, { nonsense: true })).statusCode).toBe(403);
  });

  it('does not allow a manager to report results of users', async () => {
    const { headers } = await addKey('someone', 'manager');
    expect((await ask('POST', '/v1/receipts', headers, { receipts: [] })).statusCode).toBe(403);
  });
});

it('a route that declares no role, or no scope, prevents the server from starting', () => {
  const server = createHttpServer({ logger: on.deps.logger, explain: () => undefined });
  requireDeclaredRoles(server);
  const route = { method: 'GET', url: '/secrets', handler: () => 'all of them' } as const;
  expect(() => server.route(route)).toThrow('GET /secrets declares no role');
  expect(() => server.route({ ...route, config: { role: 'operator' } })).toThrow('declares no scope');
  expect(() => server.route({ ...route, config: { role: 'operator', scope: 'none' } })).not.toThrow();
});
