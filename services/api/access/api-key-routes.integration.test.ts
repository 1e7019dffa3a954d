import { describe, expect, it } from 'vitest';
import { apiKeyShape, issuedApiKey, listedApiKey } from '../../../shared/contracts/access/api-keys.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { createApi } from '../api.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

const year2030 = '2030-01-01T00:00:00.000Z';
const ourPage = { host: 'muster.test', origin: 'http://muster.test' };

async function make(body: object, by?: string) {
  return await askAs(by, 'POST', '/v1/api-keys', body);
}

async function made(body: object, by?: string) {
  return issuedApiKey.parse((await make(body, by)).json());
}

function askAs(secret: string | undefined, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) {
  if (secret === undefined) return on.ask(method, url, payload);
  const headers = { authorization: `Bearer ${secret}` };
  return on.api.server.inject({ method, url, headers, ...(payload && { payload }) });
}

const statusFor = async (secret: string) => (await askAs(secret, 'GET', '/v1/session')).statusCode;
const codeOf = ({ json }: { json: () => unknown }) => problem.parse(json()).code;

async function audited() {
  const { items } = (await on.ask('GET', '/v1/audit')).json<{ items: Record<string, unknown>[] }>();
  return items.map(({ method, route, subject, keyId, detail }) => ({ method, route, subject, keyId, detail }));
}

describe('creating a key', () => {
  it('returns the secret once, and the scope as it was sent', async () => {
    await on.ask('POST', '/v1/clients', { name: 'orders' });
    const scope = { clients: ['orders'], countries: ['SG'], actionTypes: null };
    const wanted = { name: 'orders service', owner: 'team-orders', role: 'scheduler', scope, expiresAt: year2030 };

    const { key, secret } = await made(wanted);

    expect(key).toMatchObject({ ...wanted, state: 'active', createdBy: publicId('apiKey', on.key), lastUsedAt: null });
    expect(secret).toMatch(new RegExp(`^mk_${key.id.slice('key_'.length)}_[0-9a-f]{48}$`));
    expect(await statusFor(secret)).toBe(200);
    const found = await on.ask('GET', key.links.self);
    expect(apiKeyShape.parse(found.json())).toMatchObject({ id: key.id, scope });
    expect(found.body).not.toContain(secret.slice(-48));
    expect(found.headers.etag).toBe('"1"');
  });

  it('grants everything if the request has no scope', async () => {
    const { key } = await made({ name: 'console', role: 'viewer' });
    expect(key.scope).toEqual({ clients: null, countries: null, actionTypes: null, users: false });
  });

  it.each([
    { scope: { clients: ['orders'] }, countries: [], actionTypes: [] },
    { scope: { clients: ['orders'], countries: null }, countries: null, actionTypes: null },
    { scope: { clients: ['orders'], countries: ['SG'] }, countries: ['SG'], actionTypes: null },
    { scope: { countries: ['SG'] }, countries: ['SG'], actionTypes: null },
  ])(
    'grants no campaigns if the scope in the request has clients and no campaigns: $scope',
    async ({ scope, ...campaigns }) => {
      await on.ask('POST', '/v1/clients', { name: 'orders' });
      const { key } = await made({ name: 'orders', role: 'scheduler', scope });
      expect(key.scope).toMatchObject(campaigns);
    },
  );

  it('is refused for an unknown client', async () => {
    const refused = await make({ name: 'x', role: 'scheduler', scope: { clients: ['nobody'] } });
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors).toMatchObject([
      { pointer: '/scope/clients/0', code: 'unknown-client' },
    ]);
  });

  it('stores no response, so the secret is nowhere in the database', async () => {
    const headers = { authorization: 'Bearer muster_the-key-of-the-tests', 'idempotency-key': 'once' };
    const payload = { name: 'x', role: 'viewer' };
    const { secret } = (await on.api.server.inject({ method: 'POST', url: '/v1/api-keys', headers, payload })).json<{
      secret: string;
    }>();
    for (const table of ['idempotency_keys', 'audit_log', 'api_keys', 'api_key_secrets']) {
      expect(JSON.stringify(await on.rowsOf(table))).not.toContain(secret.slice(-48));
    }
  });

  it('is refused for rights that the creating key does not have', async () => {
    await on.ask('POST', '/v1/clients', { name: 'ours' });
    await on.ask('POST', '/v1/clients', { name: 'theirs' });
    const scope = { clients: ['ours'], countries: ['SG'], actionTypes: [] };
    const { secret } = await made({ name: 'lead', role: 'operator', scope, expiresAt: year2030 });
    const wanted = { name: 'x', role: 'scheduler', scope, expiresAt: year2030 };
    for (const more of [
      { scope: { ...scope, clients: null } },
      { scope: { ...scope, clients: ['ours', 'theirs'] } },
      { scope: { ...scope, countries: ['SG', 'ID'] } },
      { scope: { ...scope, actionTypes: ['award-reward'] } },
      { scope: undefined },
      { expiresAt: null },
      { expiresAt: '2030-01-01T00:00:01.000Z' },
    ]) {
      const refused = await make({ ...wanted, ...more }, secret);
      expect([refused.statusCode, codeOf(refused)]).toEqual([403, 'out-of-scope']);
    }
    expect((await make(wanted, secret)).statusCode).toBe(201);
  });
});

describe('the list of keys', () => {
  const listed = async (query: string) =>
    pageShape(listedApiKey)
      .parse((await on.ask('GET', `/v1/api-keys?${query}`)).json())
      .items.map(({ name, sessions }) => `${name} ${sessions}`);

  it('is filtered by name, owner and role, and has the number of sessions of each key', async () => {
    await made({ name: 'Orders', owner: 'payments', role: 'scheduler' });
    const { secret } = await made({ name: 'console', owner: 'Growth 100%', role: 'viewer' });
    for (let browsers = 0; browsers < 2; browsers += 1) {
      const headers = ourPage;
      await on.api.server.inject({ method: 'POST', url: '/v1/session', headers, payload: { apiKey: secret } });
    }

    expect(await listed('q=ORDER')).toEqual(['Orders 0']);
    expect(await listed('q=growth')).toEqual(['console 2']);
    expect(await listed('q=100%25')).toEqual(['console 2']);
    expect(await listed('role=scheduler')).toEqual(['Orders 0']);
    expect(await listed('role=viewer&q=orders')).toEqual([]);
  });
});

describe('a key', () => {
  it('is refused after its expiry', async () => {
    const { secret } = await made({ name: 'x', role: 'viewer', expiresAt: '2026-01-01T00:00:30.000Z' });
    expect(await statusFor(secret)).toBe(200);
    await on.passTime(31_000);
    expect(await statusFor(secret)).toBe(401);
  });

  it('is accepted with the old and the new secret after a rotation, until the overlap ends, and then only with the new one', async () => {
    const { key, secret } = await made({ name: 'x', role: 'viewer' });
    const rotated = issuedApiKey.parse(
      (await on.ask('POST', `${key.links.self}/rotate`, { overlapSeconds: 60 })).json(),
    );
    expect(rotated.key.formerUntil).toBe('2026-01-01T00:01:00.000Z');
    expect([await statusFor(secret), await statusFor(rotated.secret)]).toEqual([200, 200]);

    await on.passTime(62_000);

    expect([await statusFor(secret), await statusFor(rotated.secret)]).toEqual([401, 200]);
  });

  it('loses its old secret, and the sessions of that secret, at once in a rotation without overlap', async () => {
    const { key, secret } = await made({ name: 'x', role: 'viewer' });
    const cookie = await logIn(secret);
    expect(await statusOf(cookie)).toBe(200);

    await on.ask('POST', `${key.links.self}/rotate`, { overlapSeconds: 0 });

    expect([await statusFor(secret), await statusOf(cookie)]).toEqual([401, 401]);
  });

  it('is refused at once after its revocation, together with its sessions, and within a second by other processes', async () => {
    const { key, secret } = await made({ name: 'x', role: 'viewer' });
    const cookie = await logIn(secret);
    const another = await createApi(on.deps);
    const there = async () => {
      const headers = { authorization: `Bearer ${secret}` };
      return (await another.server.inject({ method: 'GET', url: '/v1/session', headers })).statusCode;
    };
    expect([await statusFor(secret), await statusOf(cookie), await there()]).toEqual([200, 200, 200]);

    expect(apiKeyShape.parse((await on.ask('DELETE', key.links.self)).json()).state).toBe('revoked');

    expect([await statusFor(secret), await statusOf(cookie)]).toEqual([401, 401]);
    await on.passTime(1_001);
    expect(await there()).toBe(401);
    await another.close();
  });

  it('has its new scope at once after the scope was changed', async () => {
    await on.ask('POST', '/v1/clients', { name: 'orders' });
    const { key, secret } = await made({ name: 'x', role: 'scheduler' });
    const clients = async () => (await askAs(secret, 'GET', '/v1/clients')).json<{ items: unknown[] }>().items.length;
    expect(await clients()).toBe(1);

    const scope = { clients: [], countries: null, actionTypes: null };
    expect((await on.ask('PATCH', key.links.self, { scope })).json()).toMatchObject({ scope, revision: 2 });

    expect(await clients()).toBe(0);
  });

  it('is changed only at the revision that the caller has seen', async () => {
    const { key } = await made({ name: 'x', role: 'viewer' });
    await on.ask('PATCH', key.links.self, { owner: 'team b' });
    const headers = { authorization: 'Bearer muster_the-key-of-the-tests', 'if-match': '"1"' };
    const payload = { owner: 'team c' };
    const outdated = await on.api.server.inject({ method: 'PATCH', url: key.links.self, headers, payload });
    expect(outdated.statusCode).toBe(412);
    expect((await on.ask('GET', key.links.self)).json()).toMatchObject({ owner: 'team b', name: 'x' });
  });

  it('is neither changed nor rotated after its revocation', async () => {
    const { key } = await made({ name: 'x', role: 'viewer' });
    await on.ask('DELETE', key.links.self);
    const refused = [
      await on.ask('PATCH', key.links.self, { name: 'y' }),
      await on.ask('POST', `${key.links.self}/rotate`, {}),
    ];
    expect(refused.map((each) => [each.statusCode, codeOf(each)])).toEqual([
      [409, 'key-revoked'],
      [409, 'key-revoked'],
    ]);
  });

  it('has audit log entries for its creation, change, rotation and revocation, and for the changes that it makes', async () => {
    const { key, secret } = await made({ name: 'x', role: 'operator' });
    await askAs(secret, 'POST', '/v1/clients', { name: 'orders' });
    await on.ask('PATCH', key.links.self, { owner: 'team b' });
    await on.ask('POST', `${key.links.self}/rotate`, { overlapSeconds: 60 });
    await on.ask('DELETE', key.links.self);
    const [by, subject] = [publicId('apiKey', on.key), key.id];
    expect(await audited()).toMatchObject([
      { method: 'DELETE', route: '/v1/api-keys/:id', subject, keyId: by },
      { method: 'POST', route: '/v1/api-keys/:id/rotate', subject, keyId: by, detail: { overlapSeconds: 60 } },
      { method: 'PATCH', route: '/v1/api-keys/:id', subject, keyId: by, detail: { owner: 'team b' } },
      { method: 'POST', route: '/v1/clients', keyId: subject },
      { method: 'POST', route: '/v1/api-keys', subject, keyId: by, detail: { name: 'x', role: 'operator' } },
    ]);
  });
});

async function logIn(apiKey: string): Promise<string> {
  const response = await on.api.server.inject({
    method: 'POST',
    url: '/v1/session',
    headers: ourPage,
    payload: { apiKey },
  });
  const [cookie] = [response.headers['set-cookie']].flat();
  return cookie?.split(';')[0] ?? expect.fail('no cookie was set');
}

async function statusOf(cookie: string): Promise<number> {
  const headers = { cookie, ...ourPage };
  return (await on.api.server.inject({ method: 'GET', url: '/v1/session', headers })).statusCode;
}
