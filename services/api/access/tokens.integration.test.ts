import { createHmac, randomBytes } from 'node:crypto';
import { exportSPKI, importJWK } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiKeyShape } from '../../../shared/contracts/access/api-keys.ts';
import { refusedPerson } from '../../../shared/contracts/access/callers.ts';
import { auditRecord } from '../../../shared/contracts/access/audit.ts';
import { sessionShape } from '../../../shared/contracts/access/sessions.ts';
import { systemShape } from '../../../shared/contracts/access/system.ts';
import type { AuthMode, IssuerSettings } from '../../../shared/runtime/configuration/auth-settings.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { policy } from '../../../test/support/approvals-on-api.ts';
import {
  newSigningKey,
  startIssuer,
  type ReportedClaims,
  type TestIssuer,
} from '../../../test/support/openid-issuer.ts';
import { createApi, type Api } from '../api.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';
import { createAuthMethods } from './parts.ts';
import { createCallerCounter } from './callers/caller-counter.ts';
import { createCallerCountStore } from './callers/postgres/caller-count-store.ts';

const on = apiOnPostgres();

let issuer: TestIssuer;
let api: Api;
const closing: (() => unknown)[] = [];

const roles = [
  { value: 'admins', role: 'operator' },
  { value: 'managers', role: 'manager' },
  { value: 'approvers', role: 'approver' },
  { value: 'schedulers', role: 'scheduler' },
  { value: 'staff', role: 'viewer' },
] as const;

async function begin(over: Partial<IssuerSettings> = {}, mode: AuthMode = 'both') {
  const settings: IssuerSettings = {
    issuer: issuer.url,
    name: 'Tests',
    audiences: ['muster'],
    roleClaim: 'roles',
    roles,
    scopeClaim: undefined,
    nameClaim: 'email',
    client: undefined,
    ...over,
  };
  const onClose: typeof on.deps.onClose = (resource, close) => {
    closing.unshift(() => close(resource));
    return resource;
  };
  const callerCounter = createCallerCounter({ write: createCallerCountStore(on.deps), ...on.deps });
  callerCounter.start();
  closing.unshift(() => callerCounter.stop());
  const doors = createAuthMethods(
    { auth: { mode, issuer: settings }, publicAddress: undefined },
    { ...on.deps, callerCounter, onClose },
  );
  api = await createApi({ ...on.deps, authMethods: doors });
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

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

function ask(token: string, method: Method = 'GET', url = '/v1/session', payload?: object) {
  const headers = { authorization: `Bearer ${token}` };
  return api.server.inject({ method, url, headers, ...(payload && { payload }) });
}

async function askAs(claims: ReportedClaims, method: Method = 'GET', url = '/v1/session', payload?: object) {
  return ask(await issuer.token({ claims }), method, url, payload);
}

const problemOf = (response: { json: () => unknown }) => problem.parse(response.json());

describe('a token of the issuer', () => {
  it('is accepted like a key, and the person has the display name of the token', async () => {
    const answer = await askAs({ email: 'ada@example.com', email_verified: true });
    expect(answer.statusCode).toBe(200);
    expect(sessionShape.parse(answer.json())).toMatchObject({
      keyName: 'ada@example.com',
      role: 'manager',
      csrfToken: null,
      scope: { clients: null, countries: null, actionTypes: null },
    });
  });

  it('is accepted with each kind of key pair that issuers use', async () => {
    await issuer.stop();
    issuer = await startIssuer({ now: () => on.deps.clock.now(), alg: 'RS256' });
    await begin();
    expect((await askAs({})).statusCode).toBe(200);
  });

  it('is verified once a minute, and the keys of the issuer are fetched once, however many requests are sent', async () => {
    const token = await issuer.token();
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(token)));
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect(issuer.requested).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it('does not affect API keys: a key causes no request to the issuer', async () => {
    const answer = await api.server.inject({ url: '/v1/session', headers: authorized });
    expect(sessionShape.parse(answer.json())).toMatchObject({ keyName: 'a test' });
    expect(issuer.requested).toEqual([]);
  });

  it('is valid until its expiry, with half a minute of tolerance for different clocks', async () => {
    const token = await issuer.token();
    expect((await ask(token)).statusCode).toBe(200);
    await on.passTime(3_600_000 + 25_000);
    // The cached verification of the token has expired too.
    const late = await ask(token);
    expect(late.statusCode).toBe(200);
    await on.passTime(10_000);
    expect(problemOf(await ask(token)).detail).toBe('this token has expired');
  });

  it('counts as a refused request if it is refused', async () => {
    expect((await ask(await issuer.token({ claims: { aud: 'another' } }))).headers['www-authenticate']).toContain(
      'invalid_token',
    );
  });
});

describe('a forged token is refused', () => {
  const refused = async (token: string) => {
    const answer = await ask(token);
    expect([answer.statusCode, problemOf(answer).code]).toEqual([401, 'unauthorized']);
    return problemOf(answer).detail;
  };
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const now = () => Math.floor(on.deps.clock.now().getTime() / 1000);
  const claims = () => ({ iss: issuer.url, aud: 'muster', sub: 'eve', exp: now() + 60, roles: ['admins'] });

  it('if another key signed it, even under the key id of the right one', async () => {
    const key = await newSigningKey();
    const { kid } = await issuer.rotate();
    expect(await refused(await issuer.token({ key: { ...key, kid } }))).toContain('signature');
    expect(await refused(await issuer.token({ key }))).toContain('a key that its issuer does not have');
  });

  it.each([
    [{ iss: 'https://another.example' }, 'another issuer'],
    [{ iss: undefined }, 'another issuer'],
    [{ aud: 'another' }, 'another audience'],
    [{ aud: undefined }, 'another audience'],
    [{ exp: 1 }, 'expired'],
    [{ exp: undefined }, 'no expiry'],
    [{ nbf: 4_000_000_000 }, 'not valid yet'],
    [{ sub: undefined }, 'no valid subject'],
    [{ sub: 'x'.repeat(256) }, 'no valid subject'],
    [{ sub: '' }, 'no valid subject'],
    [{ sub: 'a\u0000b' }, String.raw`"a\u0000b"`],
    [{ sub: 'a\ud800' }, String.raw`"a\ud800"`],
    [{ sub: '\u202eeve' }, String.raw`"\u202eeve"`],
    [{ sub: 12_345 }, 'no valid subject'],
    [{ sub: ['ada'] }, 'no valid subject'],
  ])('if its claims are %j', async (over, why) => {
    expect(await refused(await issuer.token({ claims: over }))).toContain(why);
  });

  it('if it is not signed', async () => {
    const token = `${encoded({ alg: 'none' })}.${encoded(claims())}.`;
    expect(await refused(token)).toContain('not signed with an asymmetric key');
    expect(await refused(`${encoded({ alg: 'nOnE', typ: 'JWT' })}.${encoded(claims())}.x`)).toContain('not signed');
  });

  it('if it uses the public key as a shared secret', async () => {
    await issuer.stop();
    issuer = await startIssuer({ now: () => on.deps.clock.now(), alg: 'RS256' });
    await begin();
    const { publicJwk, kid } = await issuer.rotate();
    const key = await importJWK(publicJwk, 'RS256', { extractable: true });
    if (key instanceof Uint8Array) throw new Error('this is not an asymmetric key');
    for (const secret of [await exportSPKI(key), JSON.stringify(publicJwk), '']) {
      const head = `${encoded({ alg: 'HS256', kid })}.${encoded(claims())}`;
      const signature = createHmac('sha256', secret).update(head).digest('base64url');
      expect(await refused(`${head}.${signature}`)).toContain('not signed with an asymmetric key');
    }
  });

  it('if it contains its own key, or the address of a key', async () => {
    const key = await newSigningKey();
    const header = { jwk: key.publicJwk, jku: `${issuer.url}/evil`, x5u: `${issuer.url}/evil` };
    const { kid } = await issuer.rotate();
    expect(await refused(await issuer.token({ key: { ...key, kid }, header }))).toContain('signature');
    await refused(await issuer.token({ key, header }));
    expect(issuer.requested).not.toContain('/evil');
  });

  it('if it was issued for another purpose', async () => {
    expect(await refused(await issuer.token({ header: { typ: 'logout+jwt' } }))).toContain('another kind');
    expect((await ask(await issuer.token({ header: { typ: 'at+jwt' } }))).statusCode).toBe(200);
  });

  it('if it is malformed', async () => {
    await refused('eyJhbGciOiJFUzI1NiJ9.e30.x');
    await refused('eyJ.eyJ.eyJ');
  });

  it('if it is huge, before it is parsed', async () => {
    const token = await issuer.token({ claims: { roles: ['admins'], filler: randomBytes(8000).toString('hex') } });
    const answer = await ask(token);
    expect([401, 431]).toContain(answer.statusCode);
    expect(issuer.requested).toEqual([]);
  });

  it('if its claims were changed after the signature', async () => {
    const [head, , signature] = (await issuer.token()).split('.');
    expect(await refused(`${head ?? ''}.${encoded(claims())}.${signature ?? ''}`)).toContain('signature');
  });
});

describe('a key of the issuer', () => {
  it('is fetched when a token has a new key id', async () => {
    expect((await askAs({})).statusCode).toBe(200);
    await on.passTime(30_001);
    await issuer.rotate();
    expect((await askAs({ sub: 'grace' })).statusCode).toBe(200);
  });

  it('is fetched at most twice a minute for unknown key ids, whatever ids the tokens have', async () => {
    await askAs({});
    const before = issuer.requested.length;
    await on.passTime(30_001);
    for (let number = 0; number < 20; number++) {
      const key = await newSigningKey();
      expect((await ask(await issuer.token({ key }))).statusCode).toBe(401);
    }
    expect(issuer.requested.length - before).toBe(2);
  });

  it('is no longer accepted ten minutes after its withdrawal', async () => {
    const key = await issuer.rotate();
    const token = await issuer.token({ key });
    expect((await ask(token)).statusCode).toBe(200);
    await issuer.rotate();
    await on.passTime(10 * 60_000 + 1);
    expect((await ask(token)).statusCode).toBe(401);
  });
});

describe('the role of a token', () => {
  it.each([
    [['managers'], 'manager'],
    [['unknown', 'staff', 'admins'], 'operator'],
    ['approvers', 'approver'],
    ['openid staff', 'viewer'],
  ])('is, for the claim %j, %s: the first value that is mapped', async (claim, role) => {
    const answer = await askAs({ roles: claim });
    expect(sessionShape.parse(answer.json()).role).toBe(role);
  });

  it.each([[undefined], [[]], [['operator']], ['Admins'], [{ admins: true }], [['toString']], [7]])(
    'is missing for the claim %j, and the refusal contains the claim',
    async (claim) => {
      const answer = await askAs({ roles: claim });
      expect([answer.statusCode, problemOf(answer).code]).toEqual([403, 'no-role']);
      expect(problemOf(answer).detail).toContain('OIDC_ROLES');
      expect(await on.rowsOf('api_keys')).toHaveLength(1);
    },
  );

  it('is found in a nested claim, and under a name with dots', async () => {
    await begin({ roleClaim: 'realm_access.roles' });
    expect((await askAs({ roles: undefined, realm_access: { roles: ['staff'] } })).statusCode).toBe(200);
    await begin({ roleClaim: 'https://muster.example/roles' });
    expect((await askAs({ 'https://muster.example/roles': ['staff'] })).statusCode).toBe(200);
  });

  it('limits the person in the same way as the role of a key', async () => {
    const answer = await askAs({ roles: ['staff'] }, 'POST', '/v1/campaigns', someCampaign);
    expect(problemOf(answer)).toMatchObject({ code: 'forbidden', requiredRole: 'manager' });
    expect((await askAs({}, 'POST', '/v1/campaigns', someCampaign)).statusCode).toBe(201);
  });

  it('is that of the token that was sent, whatever another token of the person grants', async () => {
    const [more, less] = [await issuer.token({ claims: { roles: ['admins'] } }), await issuer.token()];
    expect(sessionShape.parse((await ask(more)).json()).role).toBe('operator');
    expect(sessionShape.parse((await ask(less)).json()).role).toBe('manager');
    expect((await ask(less, 'GET', '/v1/api-keys')).statusCode).toBe(403);
    expect((await ask(more, 'GET', '/v1/api-keys')).statusCode).toBe(200);
  });
});

describe('the scope of a token', () => {
  beforeEach(() => begin({ scopeClaim: 'muster' }));

  it('limits campaigns to its countries and actions', async () => {
    const inSg = { ...someCampaign, countries: ['SG'] };
    const muster = ['country:SG', 'unknown:thing'];
    expect((await askAs({ muster }, 'POST', '/v1/campaigns', inSg)).statusCode).toBe(201);
    const beyond = await askAs({ muster }, 'POST', '/v1/campaigns', someCampaign);
    expect([beyond.statusCode, problemOf(beyond).code]).toEqual([403, 'out-of-scope']);
    const noAction = await askAs({ muster: ['action:award-points'] }, 'POST', '/v1/campaigns', inSg);
    expect(noAction.statusCode).toBe(403);
  });

  it('contains clients by name, and only objects of these are returned', async () => {
    for (const name of ['shop', 'games']) expect((await on.ask('POST', '/v1/clients', { name })).statusCode).toBe(201);
    const listed = await askAs({ muster: 'client:shop' }, 'GET', '/v1/session');
    expect(sessionShape.parse(listed.json()).scope.clients).toEqual(['shop']);
    expect((await askAs({ muster: 'client:shop' }, 'GET', '/v1/clients/games')).statusCode).toBe(404);
    expect((await askAs({ muster: 'client:shop' }, 'GET', '/v1/clients/shop')).statusCode).toBe(200);
  });

  it('grants nothing of a kind if the values of the kind are invalid', async () => {
    const answer = await askAs({ muster: ['country:sg', 'client:nobody', 'action:'] });
    expect(sessionShape.parse(answer.json()).scope).toEqual({
      clients: [],
      countries: [],
      actionTypes: [],
      users: false,
    });
  });

  it.each([
    { muster: 'client:shop', countries: [], actionTypes: [], users: false },
    { muster: 'client:shop country:*', countries: null, actionTypes: null, users: false },
    { muster: 'country:SG users', countries: ['SG'], actionTypes: null, users: true },
  ])('covers campaigns and their users only if it contains them: $muster', async ({ muster, ...campaigns }) => {
    expect(sessionShape.parse((await askAs({ muster })).json()).scope).toMatchObject(campaigns);
  });

  it('is required, so a token without a scope grants nothing', async () => {
    for (const muster of [undefined, [], 'openid profile', ['All']]) {
      expect(problemOf(await askAs({ muster })).detail).toContain('OIDC_SCOPE_CLAIM');
    }
    expect((await askAs({ muster: ['all'] })).statusCode).toBe(200);
  });

  it('excludes what belongs to the whole installation', async () => {
    const answer = await askAs({ roles: ['admins'], muster: ['country:SG'] }, 'POST', '/v1/clients', { name: 'x' });
    expect(problemOf(answer).code).toBe('out-of-scope');
  });
});

describe('a person', () => {
  const listed = async () => {
    const answer = await api.server.inject({ url: '/v1/api-keys', headers: authorized });
    return pageShape(apiKeyShape)
      .parse(answer.json())
      .items.filter(({ person }) => person !== null);
  };

  it('is always one row in the database, by issuer and subject, whatever the display name is', async () => {
    await askAs({ email: 'ada@example.com' });
    await askAs({ email: 'ada.king@example.com', iat: 1 });
    await askAs({ email: undefined, iat: 2 });
    expect(await listed()).toMatchObject([
      { name: 'ada.king@example.com', owner: 'ada.king@example.com', person: { issuer: issuer.url, subject: 'ada' } },
    ]);
  });

  it('gets no name from an unverified email address, or from a name with line breaks', async () => {
    await askAs({ email: 'ceo@example.com', email_verified: false });
    await askAs({ sub: 'bob', email: 'bob\u202E@example.com' });
    for (const [place, verified] of [undefined, null, 1, 'yes', 'false'].entries())
      await askAs({ sub: `eve-${place}`, email: 'ceo@example.com', email_verified: verified });
    const names = (await listed()).map(({ name, owner }) => [name, owner]);
    expect(names.flat().filter((name) => name?.includes('@'))).toEqual([]);
    expect(names).toHaveLength(7);
    await askAs({ sub: 'cara', email: 'cara@example.com', email_verified: 'true' });
    expect((await listed()).map(({ name }) => name)).toContain('cara@example.com');
  });

  it('has one id in the audit log', async () => {
    const created = await askAs({ email: 'ada@example.com' }, 'POST', '/v1/campaigns', someCampaign);
    expect(created.statusCode).toBe(201);
    const [person] = await listed();
    const log = await api.server.inject({ url: '/v1/audit', headers: authorized });
    expect(pageShape(auditRecord).parse(log.json()).items[0]).toMatchObject({
      keyId: person?.id,
      keyName: 'ada@example.com',
      route: '/v1/campaigns',
      status: 201,
    });
  });

  it('is refused within a second after an operator has shut the person out, and accepted again after the operator has let the person in', async () => {
    const token = await issuer.token();
    await ask(token);
    const [person] = await listed();
    const url = `/v1/api-keys/${person?.id ?? ''}`;
    const end = (expiresAt: string | null) =>
      api.server.inject({ method: 'PATCH', url, headers: authorized, payload: { expiresAt } });
    expect((await end('2025-12-31T00:00:00Z')).statusCode).toBe(200);
    const out = await ask(token);
    expect([out.statusCode, problemOf(out).code]).toEqual([403, 'shut-out']);
    expect((await askAs({ iat: 5 })).statusCode).toBe(403);
    expect((await end(null)).statusCode).toBe(200);
    expect((await ask(token)).statusCode).toBe(200);
    await api.server.inject({ method: 'DELETE', url, headers: authorized });
    expect((await ask(token)).statusCode).toBe(403);
  });

  it('is listed after a refusal, with reason, number and IP address, and then has no row among the keys', async () => {
    const from = '10.20.7.14';
    const askFrom = async (claims: ReportedClaims) => {
      const headers = { authorization: `Bearer ${await issuer.token({ claims })}` };
      return await api.server.inject({ url: '/v1/session', headers, remoteAddress: from });
    };
    for (const iat of [1, 2]) expect((await askFrom({ iat, roles: ['strangers'] })).statusCode).toBe(403);
    expect((await askFrom({ sub: 'grace', email: 'grace@example.com' })).statusCode).toBe(200);
    const [grace] = await listed();
    await api.server.inject({
      method: 'PATCH',
      url: `/v1/api-keys/${grace?.id ?? ''}`,
      headers: authorized,
      payload: { expiresAt: '2025-12-31T00:00:00Z' },
    });
    await on.passTime(2000);
    expect((await askFrom({ sub: 'grace', email: 'grace@example.com', iat: 3 })).statusCode).toBe(403);
    // This token is refused before its subject is verified, so the person is not counted.
    expect((await ask(await issuer.token({ claims: { sub: 'eve', aud: 'another' } }))).statusCode).toBe(401);
    await on.passTime(61_000);

    const answer = await on.ask('GET', '/v1/refused-people');
    const { items } = z.object({ items: z.array(refusedPerson) }).parse(answer.json());
    const last = { issuer: issuer.url, lastFrom: from, isInAgain: false };
    expect(items).toMatchObject([
      {
        ...last,
        subject: 'grace',
        name: 'grace@example.com',
        code: 'shut-out',
        count: 1,
        keyId: grace?.id,
        mayBeLetIn: true,
      },
      { ...last, subject: 'ada', code: 'no-role', count: 2, keyId: null, mayBeLetIn: false },
    ]);
    expect(items[1]?.detail).toContain('OIDC_ROLES');
    expect(await listed()).toHaveLength(1);
  });

  it('has no secret that could be rotated, and only the expiry can be changed', async () => {
    await askAs({});
    const [person] = await listed();
    const url = `/v1/api-keys/${person?.id ?? ''}`;
    const change = (method: 'POST' | 'PATCH', path: string, payload: object) =>
      api.server.inject({ method, url: path, headers: authorized, payload });
    expect(problemOf(await change('POST', `${url}/rotate`, {})).code).toBe('not-a-key');
    expect(problemOf(await change('PATCH', url, { role: 'operator' })).code).toBe('not-a-key');
  });

  it('cannot create a log-in link with a token, because the link would be valid longer than the token', async () => {
    const answer = await askAs({}, 'POST', '/v1/session/links');
    expect([answer.statusCode, problemOf(answer).code]).toEqual([403, 'not-by-token']);
  });

  it('adds no secret to the tables of keys', async () => {
    await askAs({});
    expect(await on.rowsOf('api_key_secrets')).toHaveLength(1);
  });
});

describe('an approval by token', () => {
  async function submitted(claims: ReportedClaims) {
    expect((await on.ask('PUT', '/v1/approval-policy', policy)).statusCode).toBe(200);
    const created = await askAs(claims, 'POST', '/v1/campaigns', someCampaign);
    const { id }: { id: string } = created.json();
    const answer = await askAs(claims, 'POST', `/v1/campaigns/${id}/submit`);
    expect(answer.statusCode).toBe(200);
    const { hash }: { hash: string } = answer.json();
    return { url: `/v1/campaigns/${id}/approve`, body: { hash } };
  }
  const author = { sub: 'ada', email: 'ada@example.com', roles: ['managers'] };
  const approver = { sub: 'grace', email: 'grace@example.com', roles: ['approvers'] };

  it('is accepted from another person', async () => {
    const { url, body } = await submitted(author);
    expect((await askAs(approver, 'POST', url, body)).statusCode).toBe(200);
  });

  it('is refused from the author, even with another role or under another name', async () => {
    const { url, body } = await submitted(author);
    for (const over of [{}, { email: 'someone.else@example.com' }, { email: undefined }]) {
      const answer = await askAs({ ...author, ...over, roles: ['approvers'] }, 'POST', url, body);
      expect([answer.statusCode, problemOf(answer).code]).toEqual([403, 'author-approves-not']);
    }
  });

  it('is refused if it is made with a key whose owner is the author', async () => {
    const { url, body } = await submitted(author);
    const made = await on.ask('POST', '/v1/api-keys', { name: 'hers', owner: ' Ada@Example.com', role: 'approver' });
    const { secret }: { secret: string } = made.json();
    expect(problemOf(await ask(secret, 'POST', url, body)).code).toBe('author-approves-not');
  });
});

describe('an unavailable issuer', () => {
  const away = (_path: string, response: { destroy: () => unknown }) => {
    response.destroy();
    return true;
  };

  it('causes 503 for tokens, keys are still accepted, and the issuer gets at most one request in ten seconds', async () => {
    issuer.answerWith = away;
    const first = await askAs({});
    expect([first.statusCode, problemOf(first).code]).toEqual([503, 'issuer-unavailable']);
    expect(first.headers['retry-after']).toBe('10');
    const answers = await Promise.all(Array.from({ length: 30 }, () => askAs({})));
    expect(answers.every(({ statusCode }) => statusCode === 503)).toBe(true);
    expect(issuer.requested).toHaveLength(1);
    expect((await api.server.inject({ url: '/v1/session', headers: authorized })).statusCode).toBe(200);

    issuer.answerWith = undefined;
    await on.passTime(10_001);
    await expect.poll(async () => (await askAs({})).statusCode).toBe(200);
    expect(issuer.requested).toHaveLength(3);
  });

  it('does not invalidate its cached documents for an hour', async () => {
    const token = await issuer.token({ claims: { exp: 4_000_000_000 } });
    expect((await ask(token)).statusCode).toBe(200);
    issuer.answerWith = away;
    await on.passTime(59 * 60_000);
    expect((await ask(token)).statusCode).toBe(200);
    await on.passTime(2 * 60_000);
    expect((await ask(token)).statusCode).toBe(503);
  });

  it.each([
    ['a page', (response: { end: (text: string) => unknown }) => response.end('<html>')],
    ['the document of another issuer', undefined],
  ])('counts as unavailable if it responds with %s', async (_what, page) => {
    if (page) issuer.answerWith = (_path, response) => (page(response), true);
    else issuer.discovery['issuer'] = 'https://another.example';
    const answer = await askAs({});
    expect([answer.statusCode, problemOf(answer).code]).toEqual([503, 'issuer-unavailable']);
  });

  it('cannot redirect requests to plain HTTP', async () => {
    issuer.discovery['jwks_uri'] = 'http://keys.example/keys';
    expect((await askAs({})).statusCode).toBe(503);
  });

  it('is reported as unavailable by GET /v1/system', async () => {
    const access = async () => {
      const answer = await api.server.inject({ url: '/v1/system', headers: authorized });
      return systemShape.parse(answer.json()).access;
    };
    expect(await access()).toEqual({ mode: 'both', issuer: issuer.url, isIssuerAnswering: null });
    issuer.answerWith = away;
    await askAs({});
    expect(await access()).toMatchObject({ isIssuerAnswering: false });
  });
});

describe('AUTH_MODE=oidc', () => {
  beforeEach(() => begin({}, 'oidc'));

  it('accepts tokens and no keys, for every route', async () => {
    expect((await askAs({})).statusCode).toBe(200);
    const byKey = await api.server.inject({ url: '/v1/session', headers: authorized });
    expect([byKey.statusCode, problemOf(byKey).detail]).toEqual([
      401,
      'keys are not accepted here (AUTH_MODE=oidc): send a token of the issuer',
    ]);
    const headers = { ...authorized, 'content-type': 'application/json' };
    const receipts = { method: 'POST', url: '/v1/receipts', headers, payload: '{"receipts":[]}' } as const;
    expect((await api.server.inject(receipts)).statusCode).toBe(401);
  });
});
