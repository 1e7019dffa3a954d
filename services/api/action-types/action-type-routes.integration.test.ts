import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { reportShards } from '../../../test/support/report-shards.ts';
import { createApi } from '../api.ts';
import { actionType, listedActionType } from './action-types.contract.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

const points = { name: 'award-points', url: 'http://points.test/v1/batches', class: 'B', timeoutMs: 2000 };

function ask(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, payload?: object, headers: object = {}) {
  return on.api.server.inject({
    method,
    url,
    headers: { ...authorized, ...headers },
    ...(payload && { payload }),
  });
}

const register = (changes: object = {}) => ask('POST', '/v1/action-types', { ...points, ...changes });
const campaignWith = (action: string) =>
  ask('POST', '/v1/campaigns', { ...someCampaign, chain: [{ action, params: {} }] });

describe('the registration of an action type', () => {
  it('makes the type available to campaigns at once', async () => {
    expect((await campaignWith('award-points')).statusCode).toBe(422);

    const created = await register();

    expect(created.statusCode).toBe(201);
    expect(created.headers).toMatchObject({ location: '/v1/action-types/award-points', etag: '"1"' });
    expect(actionType.parse(created.json())).toMatchObject({
      ...points,
      revision: 1,
      enabled: true,
      origin: 'api',
      batchSize: 100,
      maxAttempts: 8,
      countries: ['SG', 'ID', 'VN'],
    });
    expect((await campaignWith('award-points')).statusCode).toBe(201);
    const { items } = pageShape(actionType).parse((await ask('GET', '/v1/action-types')).json());
    expect(items.map(({ name }) => name)).toEqual(['award-points', 'award-reward', 'send-message']);
  });

  it('derives the title of the type from its name if no title is given', async () => {
    expect(actionType.parse((await register()).json()).title).toBe('Award points');

    const texts = { title: ' Give points ', description: 'Adds points to the balance.' };
    const changed = await ask('PATCH', '/v1/action-types/award-points', texts);
    expect(actionType.parse(changed.json())).toMatchObject({ ...texts, title: 'Give points' });

    const back = await ask('PATCH', '/v1/action-types/award-points', { title: null, description: null });
    expect(actionType.parse(back.json())).not.toHaveProperty('description');
    expect(actionType.parse(back.json()).title).toBe('Award points');
  });

  it.each([
    ['title', ''],
    ['title', 'two\nlines'],
    ['title', 'x'.repeat(61)],
    ['description', ''],
    ['description', 'x'.repeat(501)],
  ])('refuses the %s %j', async (field, text) => {
    const refused = await register({ [field]: text });
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors.map(({ pointer }) => pointer)).toEqual([`/${field}`]);
  });

  it('is listed with the countries that some workers refuse to serve and no other worker serves', async () => {
    await register();
    const served = { actions: ['award-points'], countries: ['SG', 'ID'] };
    await reportShards(on.pool, 'a', served, 'leases are too short');
    await reportShards(on.pool, 'b', { ...served, countries: ['SG'] });

    const { items } = pageShape(listedActionType).parse((await ask('GET', '/v1/action-types')).json());

    expect(items.map(({ name, refusals }) => ({ name, refusals }))).toEqual([
      { name: 'award-points', refusals: [{ country: 'ID', cause: 'leases are too short' }] },
      { name: 'award-reward', refusals: [] },
      { name: 'send-message', refusals: [] },
    ]);
  });

  it('is refused for a blocked address, with the field and its value', async () => {
    const url = 'http://169.254.169.254/latest/meta-data/';
    const statusUrl = 'http://[::ffff:a9fe:a9fe]/status';
    const refused = await register({ url, class: 'C', statusUrl, appliesLateSeconds: 60 });
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors).toEqual([
      {
        pointer: '/url',
        code: 'forbidden-address',
        detail: `"${url}" may not be called: 169.254.169.254 is never called`,
      },
      {
        pointer: '/statusUrl',
        code: 'forbidden-address',
        detail: `"${statusUrl}" may not be called: ::ffff:a9fe:a9fe is never called`,
      },
    ]);
    await register();
    const changed = await ask('PATCH', '/v1/action-types/award-points', { url: 'http://[fd00:ec2::254]/' });
    expect(problem.parse(changed.json()).errors).toMatchObject([{ pointer: '/url', code: 'forbidden-address' }]);
    expect((await ask('PATCH', '/v1/action-types/award-points', { url: 'http://10.1.2.3/' })).statusCode).toBe(200);
  });

  it('is refused for a name that is already registered', async () => {
    await register();
    const again = await register();
    expect(again.statusCode).toBe(409);
    expect(problem.parse(again.json()).code).toBe('action-type-exists');
  });

  it('is refused with all its problems together', async () => {
    const refused = await register({
      name: 'Award Points',
      url: 'ftp://x',
      class: 'Q',
      batchSize: 1001,
      speed: 1,
      enabled: 1,
    });
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/name', 'invalid-value'],
      ['/enabled', 'wrong-type'],
      ['/url', 'invalid-url'],
      ['/class', 'invalid-value'],
      ['/batchSize', 'out-of-range'],
      ['/speed', 'unknown-field'],
    ]);
  });

  it('may have a secret for receipts only if the type has receipts', async () => {
    const named = await register({ receiptsSecretEnv: 'POINTS_RECEIPTS' });
    expect(named.statusCode).toBe(422);
    const [error] = problem.parse(named.json()).errors;
    expect(error).toMatchObject({ pointer: '/receiptsSecretEnv', code: 'invalid-value' });
    expect(error?.detail).toContain('POINTS_RECEIPTS');
    expect((await register()).statusCode).toBe(201);
    const secrets = { receipts: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
    const given = await ask('PATCH', '/v1/action-types/award-points', { secrets });
    expect(problem.parse(given.json()).errors).toMatchObject([
      { pointer: '/secrets/receipts', code: 'not-asynchronous' },
    ]);
    const value = { value: secrets.receipts };
    const set = await ask('PUT', '/v1/action-types/award-points/secrets/receipts', value);
    expect(problem.parse(set.json()).errors).toMatchObject([{ pointer: '/value', code: 'not-asynchronous' }]);
    expect((await ask('PATCH', '/v1/action-types/award-points', { receipts: true, secrets })).statusCode).toBe(200);
    expect((await ask('PUT', '/v1/action-types/award-points/secrets/receipts', value)).statusCode).toBe(200);
  });

  it('must have a JSON object as its body', async () => {
    expect((await ask('POST', '/v1/action-types', [points])).statusCode).toBe(422);
    expect((await ask('PATCH', '/v1/action-types/award-reward', [points])).statusCode).toBe(422);
  });

  it('is refused if it uses an environment variable of the workers, because only the configuration file may do so', async () => {
    const refused = await register({ authorizationEnv: 'DATABASE_URL' });
    expect(problem.parse(refused.json()).errors).toMatchObject([
      { pointer: '/authorizationEnv', code: 'only-in-file' },
    ]);
    const elsewhere = await ask('PATCH', '/v1/action-types/award-reward', { url: 'http://elsewhere.test/v1' });
    expect(problem.parse(elsewhere.json()).errors).toMatchObject([
      { pointer: '/authorizationEnv', code: 'other-origin' },
    ]);
    const path = await ask('PATCH', '/v1/action-types/award-reward', { url: 'http://rewards.test/v2' });
    expect(path.json()).toMatchObject({ url: 'http://rewards.test/v2', authorizationEnv: 'REWARDS_AUTHORIZATION' });
  });
});

describe('a change of an action type', () => {
  beforeEach(async () => {
    await register();
  });

  it('changes the given fields if it is a PATCH, and null resets a field to its default', async () => {
    const changed = await ask('PATCH', '/v1/action-types/award-points', { maxAttempts: 3, timeoutMs: null });
    expect(changed.statusCode).toBe(200);
    expect(changed.headers.etag).toBe('"2"');
    expect(changed.json()).toMatchObject({ revision: 2, url: points.url, maxAttempts: 3, timeoutMs: 10_000 });
  });

  it('replaces the definition if it is a PUT, and accepts a response as it was received', async () => {
    await ask('PATCH', '/v1/action-types/award-points', { maxAttempts: 3 });
    const registered = z
      .record(z.string(), z.unknown())
      .parse((await ask('GET', '/v1/action-types/award-points')).json());
    const same = await ask('PUT', '/v1/action-types/award-points', registered);
    expect(same.json()).toMatchObject({ revision: 2, maxAttempts: 3 });

    const { maxAttempts: _left, ...rest } = registered;
    const replaced = await ask('PUT', '/v1/action-types/award-points', { ...rest, batchSize: 250 });
    expect(replaced.json()).toMatchObject({ revision: 3, batchSize: 250, maxAttempts: 8 });
  });

  it('increments the revision only once if the same change is sent twice', async () => {
    for (let time = 1; time <= 2; time++) {
      const answer = await ask('PATCH', '/v1/action-types/award-points', { enabled: false });
      expect(answer.json()).toMatchObject({ revision: 2, enabled: false });
    }
  });

  it('is refused if the ETag shows that the action type was changed since it was read', async () => {
    const change = (ifMatch: string) =>
      ask('PATCH', '/v1/action-types/award-points', { concurrency: 5 }, { 'if-match': ifMatch });
    expect((await change('"1"')).statusCode).toBe(200);
    const late = await change('"1"');
    expect(late.statusCode).toBe(412);
    expect(problem.parse(late.json()).detail).toContain('revision 2');
    expect((await change('W/"x"')).statusCode).toBe(412);
    expect((await change('*')).statusCode).toBe(200);
  });

  it('is refused for the same problems as a registration, with the refused value', async () => {
    const refused = await ask('PATCH', '/v1/action-types/award-points', { timeoutMs: 1 });
    expect(problem.parse(refused.json()).errors).toMatchObject([
      { pointer: '/timeoutMs', code: 'out-of-range', detail: 'has to be at least 50, not 1' },
    ]);
  });

  it('is refused for an unknown name', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
      const answer = await ask(
        method,
        '/v1/action-types/award-nothing',
        method === 'GET' || method === 'DELETE' ? undefined : {},
      );
      expect(answer.statusCode).toBe(404);
      expect(problem.parse(answer.json()).code).toBe('action-type-not-found');
    }
  });
});

describe('the removal of an action type', () => {
  it('is possible by disabling it, after which campaigns that use the type cannot start', async () => {
    const { links } = z
      .object({ links: z.object({ start: z.string() }) })
      .parse((await campaignWith('award-reward')).json());
    await ask('PATCH', '/v1/action-types/award-reward', { enabled: false });
    expect((await campaignWith('award-reward')).statusCode).toBe(422);
    expect((await ask('POST', links.start)).statusCode).toBe(409);
    await ask('PATCH', '/v1/action-types/award-reward', { enabled: true });
    expect((await ask('POST', links.start)).statusCode).toBe(200);
  });

  it('is refused while a campaign has the type in its chain, with the names of the campaigns', async () => {
    await campaignWith('award-reward');
    const refused = await ask('DELETE', '/v1/action-types/award-reward');
    expect(refused.statusCode).toBe(409);
    expect(problem.parse(refused.json())).toMatchObject({
      code: 'action-type-in-use',
      detail: '1 campaigns have award-reward in their chain: "Lapsed riders, December"; disable it instead',
    });
  });

  it('deletes the type if no campaign uses it, and the type can be registered again', async () => {
    await register();
    expect((await ask('DELETE', '/v1/action-types/award-points', undefined, { 'if-match': '"7"' })).statusCode).toBe(
      412,
    );
    expect((await ask('DELETE', '/v1/action-types/award-points')).statusCode).toBe(204);
    expect((await ask('GET', '/v1/action-types/award-points')).statusCode).toBe(404);
    expect((await register()).json()).toMatchObject({ revision: 3 });
  });
});

describe('the OpenAPI document', () => {
  it('has action types that were registered since the process started', async () => {
    await register();
    await on.deps.catalogue.refresh();
    const { body } = await ask('GET', '/openapi.json');
    expect(body).toContain('"enum":["award-points","award-reward","send-message"]');
  });
});

describe('the countries of an action type', () => {
  it('are all countries if the configuration file of the engine lists none for it', async () => {
    const open = { ...on.deps.catalogue, current: () => ({ ...on.deps.catalogue.current(), countries: undefined }) };
    const everywhere = await createApi({ ...on.deps, catalogue: open });
    const payload = { ...someCampaign, countries: ['BR', 'SG'] };
    const created = await everywhere.server.inject({
      method: 'POST',
      url: '/v1/campaigns',
      headers: authorized,
      payload,
    });
    expect(created.statusCode).toBe(201);
  });
});
