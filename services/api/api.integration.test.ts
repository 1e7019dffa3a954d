import { beforeEach, describe, expect, it } from 'vitest';
import { campaign } from '../../shared/contracts/campaigns/campaigns.ts';
import { problem } from './frame/problems.contract.ts';
import type { CampaignStore } from './campaigns/campaign-store.port.ts';
import { authorized, someCampaign } from '../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../test/support/api-on-postgres.ts';
import { createApi, type Api } from './api.ts';

const on = apiOnPostgres();

let api: Api;

beforeEach(() => {
  api = on.api;
});

function get(url: string, headers: Record<string, string> = authorized) {
  return api.server.inject({ method: 'GET', url, headers });
}

function post(headers: Record<string, string>, body: object = someCampaign) {
  return api.server.inject({
    method: 'POST',
    url: '/v1/campaigns',
    headers: { ...authorized, ...headers },
    payload: body,
  });
}

describe('the key to the API', () => {
  it.each([
    ['none', {}],
    ['an unknown one', { authorization: 'Bearer muster_unknown' }],
    ['a password', { authorization: 'Basic bXVzdGVy' }],
    ['an empty one', { authorization: 'Bearer ' }],
  ])('is required, and %s is refused', async (_key, headers) => {
    const response = await get('/v1/campaigns', headers);

    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toContain('Bearer');
    expect(problem.parse(response.json()).code).toBe('unauthorized');
  });

  it('is checked first: without a valid key, an unknown route is not reported as unknown', async () => {
    expect((await get('/v1/secrets', {})).statusCode).toBe(401);
    expect((await get('/v1/secrets')).statusCode).toBe(404);
  });

  it('is refused at most ten seconds after its revocation', async () => {
    expect((await get('/v1/campaigns')).statusCode).toBe(200);
    await on.deps.apiKeys.revoke(on.key);

    await on.passTime(10_001);

    expect((await get('/v1/campaigns')).statusCode).toBe(401);
  });

  it.each(['/healthz', '/readyz', '/openapi.json', '/docs/'])('is not required for %s', async (url) => {
    expect((await get(url, {})).statusCode).toBe(200);
  });
});

describe('the id of a request', () => {
  it('is returned unchanged in the header and in a problem', async () => {
    const response = await get('/v1/nowhere', { ...authorized, 'x-request-id': 'mine-17' });

    expect(response.headers['x-request-id']).toBe('mine-17');
    expect(problem.parse(response.json()).requestId).toBe('mine-17');
  });

  it.each([
    ['none was sent', {}],
    ['it holds what a log line should not', { 'x-request-id': 'a b' }],
    ['it is absurdly long', { 'x-request-id': 'x'.repeat(129) }],
  ])('is generated when %s', async (_case, headers) => {
    const response = await get('/v1/nowhere', headers);

    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a problem', () => {
  it.each([
    ['/nowhere', 404, 'no-such-route'],
    ['/%zz', 400, 'malformed-url'],
  ])('at %s is %i %s', async (url, status, code) => {
    const response = await get(url);

    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(problem.parse(response.json())).toMatchObject({ status, code, errors: [] });
    expect(response.headers['x-request-id']).toBeDefined();
  });

  it('with an internal cause does not reveal it', async () => {
    const broken = { ...on.deps.campaignLists, page: () => Promise.reject(new Error('password=hidden')) };
    api = await createApi({ ...on.deps, campaignLists: broken });

    const response = await get('/v1/campaigns');

    expect(response.statusCode).toBe(500);
    expect(problem.parse(response.json()).code).toBe('internal-error');
    expect(response.body).not.toContain('hidden');
  });
});

describe('an idempotency key', () => {
  it('returns the first answer again and creates nothing', async () => {
    const first = await post({ 'idempotency-key': 'once' });
    const again = await post({ 'idempotency-key': 'once' });

    expect(again.statusCode).toBe(201);
    expect(again.body).toBe(first.body);
    expect(again.headers.location).toBe(first.headers.location);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await on.deps.campaignLists.page({}, undefined, 'newest', 10, null)).items).toHaveLength(1);
  });

  it('returns the first answer again even if the same body would now be refused', async () => {
    const body = { ...someCampaign, schedule: { type: 'at', time: '2026-01-01T00:00:10Z' } };
    const first = await post({ 'idempotency-key': 'once' }, body);
    await on.passTime(3_600_000);

    expect((await post({ 'idempotency-key': 'once' }, body)).body).toBe(first.body);
  });

  it('is refused with a body that differs from the first', async () => {
    await post({ 'idempotency-key': 'once' });

    const other = await post({ 'idempotency-key': 'once' }, { ...someCampaign, name: 'Another' });

    expect(other.statusCode).toBe(422);
    expect(problem.parse(other.json()).code).toBe('idempotency-key-reused');
  });

  it('may be used again after its request was refused', async () => {
    await post({ 'idempotency-key': 'once' }, { ...someCampaign, chain: [] });

    expect((await post({ 'idempotency-key': 'once' })).statusCode).toBe(201);
  });

  it('is refused while its first request runs', async () => {
    const repeats: Promise<number>[] = [];
    const campaigns: CampaignStore = {
      ...on.deps.campaigns,
      create: async (definition, campaignId) => {
        repeats.push(post({ 'idempotency-key': 'once' }).then(({ statusCode }) => statusCode));
        await Promise.all(repeats);
        return await on.deps.campaigns.create(definition, campaignId);
      },
    };
    api = await createApi({ ...on.deps, campaigns });

    const first = await post({ 'idempotency-key': 'once' });

    expect(first.statusCode).toBe(201);
    expect(await Promise.all(repeats)).toEqual([409]);
  });

  it('creates one campaign even if the process dies before it stores its answer', async () => {
    // Makes the action types old: about a new type, the API warns until a worker has reported, so two answers could
    // differ in their warnings.
    await on.pool.query(`update action_types set created_at = created_at - interval '61 seconds'`);
    const { server: dying } = await createApi({
      ...on.deps,
      idempotency: { ...on.deps.idempotency, complete: () => Promise.reject(new Error('killed')) },
    });
    const headers = { ...authorized, 'idempotency-key': 'once' };
    const first = await dying.inject({ method: 'POST', url: '/v1/campaigns', headers, payload: someCampaign });
    await on.passTime(61_000);

    const again = await post({ 'idempotency-key': 'once' });

    expect(again.statusCode).toBe(201);
    expect(again.body).toBe(first.body);
    expect((await on.deps.campaignLists.page({}, undefined, 'newest', 10, null)).items).toHaveLength(1);
  });

  it('must consist of visible characters', async () => {
    const response = await post({ 'idempotency-key': 'two words' });

    expect(response.statusCode).toBe(400);
    expect(problem.parse(response.json()).code).toBe('invalid-idempotency-key');
  });

  it('is optional, and two requests without a key create two campaigns', async () => {
    const ids = [await post({}), await post({})].map((response) => campaign.parse(response.json()).id);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('readiness', () => {
  it('fails while the database does not answer', async () => {
    api = await createApi({ ...on.deps, ping: () => Promise.reject(new Error('connection refused')) });

    expect((await get('/readyz', {})).statusCode).toBe(503);
    expect((await get('/healthz', {})).statusCode).toBe(200);
  });

  it('begins when the service starts and ends when the service stops; a second stop has no effect', async () => {
    expect(api.ready()).toBe(false);
    await api.start();
    expect(api.ready()).toBe(true);

    for (let time = 1; time <= 2; time++) {
      await api.stopIntake();
      await api.finishWork();
      await api.close();
    }

    expect(api.ready()).toBe(false);
  });
});
