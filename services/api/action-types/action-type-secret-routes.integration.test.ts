import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { openSecrets } from '../../../shared/runtime/installation/action-type-secrets.ts';
import { createSecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { createApi, type Api } from '../api.ts';
import { actionType } from './action-types.contract.ts';
import { problem } from '../frame/problems.contract.ts';
import { createActionTypeStore } from './postgres/action-type-store.ts';

const on = apiOnPostgres();

const signing = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const path = '/v1/action-types/send-message';

let api: Api;
let logged: string[];
beforeEach(() => {
  logged = [];
  on.deps.logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  api = on.api;
});

function ask(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, payload?: object, headers: object = {}) {
  return api.server.inject({
    method,
    url,
    headers: { ...authorized, ...headers },
    ...(payload && { payload }),
  });
}

const set = (secret: string, value: unknown, headers: object = {}) =>
  ask('PUT', `${path}/secrets/${secret}`, { value }, headers);

/** Decrypts the stored secrets like a worker. */
async function opened() {
  const type = await createActionTypeStore(on.deps).get('send-message');
  if (!type) throw new Error('it is gone');
  return openSecrets(type, on.deps.secretBox);
}

describe('a request that sets a secret', () => {
  it('stores the secret for the workers, and shows only that it exists and since when', async () => {
    const answer = await set('authorization', 'Bearer 47.11');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.etag).toBe('"2"');
    expect(actionType.parse(answer.json()).secrets).toEqual({
      authorization: { changedAt: on.deps.clock.now().toISOString() },
    });
    expect(await opened()).toEqual({ authorization: 'Bearer 47.11' });

    await set('signing', signing);
    expect(await opened()).toEqual({ authorization: 'Bearer 47.11', signing });
    const list = await ask('GET', '/v1/action-types');
    expect(list.body).not.toContain('47.11');
    expect(list.body).not.toContain('sealed');
  });

  it('replaces the previous secret', async () => {
    await set('authorization', 'Bearer 47.11');
    await set('authorization', 'Bearer 47.12');
    expect(await opened()).toEqual({ authorization: 'Bearer 47.12' });
  });

  it('is in the audit log and in the log without the value of the secret', async () => {
    await set('authorization', 'Bearer 47.11');
    const { items } = await on.deps.audit.list({}, 10, null);
    expect(items).toMatchObject([{ subject: 'send-message', detail: { secrets: { authorization: 'set' } } }]);
    expect(JSON.stringify(items)).not.toContain('47.11');
    expect(logged.join()).not.toContain('47.11');
  });

  it.each([
    ['authorization', 47.11, 'wrong-type'],
    ['authorization', '', 'invalid-secret'],
    ['authorization', 'Bearer 47.11\n', 'invalid-secret'],
    ['signing', 'Bearer 47.11', 'invalid-secret'],
    ['signing', undefined, 'missing'],
  ])('is refused for an invalid %s without quoting it: %j', async (secret, value, code) => {
    const refused = await set(secret, value);
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors).toMatchObject([{ pointer: '/value', code }]);
    expect(refused.body).not.toContain('47.11');
  });

  it('is refused for a body of another form without quoting it', async () => {
    for (const payload of [['Bearer 47.11'], { authorization: 'Bearer 47.11' }, { value: 'x', more: 'Bearer 47.11' }]) {
      const refused = await ask('PUT', `${path}/secrets/authorization`, payload);
      expect(refused.statusCode).toBe(422);
      expect(refused.body).not.toContain('47.11');
    }
  });

  it('is refused for unknown secrets, unknown types and outdated revisions', async () => {
    expect((await set('password', 'x')).statusCode).toBe(422);
    const unknown = await ask('PUT', '/v1/action-types/award-nothing/secrets/signing', { value: signing });
    expect(unknown.statusCode).toBe(404);
    expect((await set('signing', signing, { 'if-match': '"7"' })).statusCode).toBe(412);
    expect(await opened()).toEqual({});
  });

  it('is refused with an explanation if the installation has no key for secrets', async () => {
    api = await createApi({ ...on.deps, secretBox: createSecretBox([]) });
    const refused = await set('authorization', 'Bearer 47.11');
    expect(refused.statusCode).toBe(409);
    expect(problem.parse(refused.json())).toMatchObject({ code: 'no-secrets-key' });
    expect(problem.parse(refused.json()).detail).toContain('MUSTER_SECRETS_KEY is not set here');
    expect((await ask('PATCH', path, { secrets: { signing } })).statusCode).toBe(409);
    expect((await ask('PATCH', path, { maxAttempts: 3 })).statusCode).toBe(200);
  });
});

describe('a request that removes a secret', () => {
  it('takes effect once, and a repeat changes nothing', async () => {
    await set('authorization', 'Bearer 47.11');
    await set('signing', signing);
    for (let time = 1; time <= 2; time++) {
      expect((await ask('DELETE', `${path}/secrets/authorization`)).statusCode).toBe(204);
      expect((await createActionTypeStore(on.deps).get('send-message'))?.revision).toBe(4);
    }
    expect(await opened()).toEqual({ signing });
    expect((await ask('DELETE', '/v1/action-types/award-nothing/secrets/signing')).statusCode).toBe(404);
  });
});

describe('the URL of an action type that has a secret', () => {
  beforeEach(async () => {
    await set('authorization', 'Bearer 47.11');
  });

  it('cannot be changed to another origin, because that origin would receive the secret', async () => {
    const refused = await ask('PATCH', path, { url: 'http://elsewhere.test/v1' });
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors).toMatchObject([{ pointer: '/url', code: 'other-origin' }]);
    const asStatus = { class: 'C', appliesLateSeconds: 60, statusUrl: 'http://elsewhere.test/v1/status' };
    const alsoRefused = await ask('PATCH', path, asStatus);
    expect(problem.parse(alsoRefused.json()).errors).toMatchObject([{ pointer: '/statusUrl', code: 'other-origin' }]);
    expect(await opened()).toEqual({ authorization: 'Bearer 47.11' });
  });

  it('can be changed to another origin if the same change sets the secret', async () => {
    const changes = { url: 'https://elsewhere.test/v1', secrets: { authorization: 'Bearer 47.12' } };
    expect((await ask('PATCH', path, changes)).json()).toMatchObject({ url: 'https://elsewhere.test/v1' });
    expect(await opened()).toEqual({ authorization: 'Bearer 47.12' });
    const { items } = await on.deps.audit.list({}, 1, null);
    expect(items).toMatchObject([{ detail: { secrets: { authorization: 'set' } } }]);
    expect(JSON.stringify(items)).not.toContain('47.12');
  });

  it('can be changed to another origin if the same change removes the secret', async () => {
    const changes = { url: 'http://elsewhere.test/v1', secrets: { authorization: null } };
    expect((await ask('PATCH', path, changes)).statusCode).toBe(200);
    expect(await opened()).toEqual({});
  });

  it('can be changed within its origin, and a response can be sent back as it was received', async () => {
    expect((await ask('PATCH', path, { url: 'http://messages.test/v2' })).statusCode).toBe(200);
    const registered = actionType.parse((await ask('GET', path)).json());
    expect((await ask('PUT', path, { ...registered, maxAttempts: 3 })).statusCode).toBe(200);
    expect(await opened()).toEqual({ authorization: 'Bearer 47.11' });
  });

  it('can be changed to any origin if its only secret signs calls and is not sent', async () => {
    await ask('DELETE', `${path}/secrets/authorization`);
    await set('signing', signing);
    expect((await ask('PATCH', path, { url: 'http://elsewhere.test/v1' })).statusCode).toBe(200);
    expect(await opened()).toEqual({ signing });
  });
});

describe('secrets in a change of an action type', () => {
  it('are refused with their pointers if they are invalid, without being quoted', async () => {
    const refused = await ask('PATCH', path, { secrets: { signing: '47.11', authorization: 47.11, password: 'x' } });
    expect(problem.parse(refused.json()).errors.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/secrets/signing', 'invalid-secret'],
      ['/secrets/authorization', 'wrong-type'],
      ['/secrets/password', 'unknown-field'],
    ]);
    expect(refused.body).not.toContain('47.11');
  });

  it('are not accepted in a registration, because it may be repeated with its Idempotency-Key', async () => {
    const points = { name: 'award-points', url: 'http://points.test/v1', class: 'B', secrets: { signing } };
    const refused = await ask('POST', '/v1/action-types', points);
    expect(problem.parse(refused.json()).errors).toMatchObject([{ pointer: '/secrets', code: 'unknown-field' }]);
  });
});

describe('a secret in an environment variable of the workers', () => {
  it('prevents a status address at another origin, because that origin would receive the secret', async () => {
    const asStatus = { class: 'C', appliesLateSeconds: 60, statusUrl: 'http://elsewhere.test/v1/status' };
    const refused = await ask('PATCH', '/v1/action-types/award-reward', asStatus);
    expect(problem.parse(refused.json()).errors).toMatchObject([
      { pointer: '/authorizationEnv', code: 'other-origin' },
    ]);
  });
});
