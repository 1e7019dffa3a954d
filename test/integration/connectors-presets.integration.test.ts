import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runMuster } from '../../cli/test-muster.ts';
import { presetNames } from '../../services/connectors/presets/preset-names.contract.ts';
import { presets } from '../../services/connectors/presets/presets.ts';
import { callBatch } from '../support/batch-calls.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { queryDatabase } from '../support/query-database.ts';
import { startConnectors, type RunningConnectors } from '../support/running-connectors.ts';
import { startStandInApi, type ApiAnswer, type ApiRequest, type StandInApi } from '../support/stand-in-api.ts';

/** The API answers with the examples from the documentation of each provider. The presets name the pages. */

let store: TestDatabase;
let shop: TestDatabase;
let connectors: RunningConnectors;
let api: StandInApi;
let answer: (request: ApiRequest) => ApiAnswer = () => ({ status: 200 });
let runs = 0;

const settings = {
  url: 'http://127.0.0.1/',
  account: 'AC1',
  from: 'shop@shop.test',
  template: 'tpl-1',
  app: 'app-1',
  project: 'shop',
  instance: 'rest.test',
  host: 'api.test',
  campaign: 'welcome',
};
const secrets = [...new Set(Object.values(presets).flatMap(({ call }) => Object.values(call.headersEnv ?? {})))];

beforeAll(async () => {
  [store, shop] = await Promise.all([createEmptyTestDatabase(), createEmptyTestDatabase()]);
  await queryDatabase(
    shop.url,
    `create table contacts as select 'u' || i as user_id, '+65' || i as phone,
       'u' || i || '@mail.test' as email, 'token-' || i as token from generate_series(1, 200) i`,
  );
  api = await startStandInApi((request) => answer(request));
  const users = { database: 'shop', query: 'select * from contacts where user_id = any(:users)' };
  const anybody = {
    database: 'shop',
    query: `select u as user_id, '+65' as phone, 'u@mail.test' as email, 'token' as token from unnest(:users) u`,
  };
  // The path of each preset, at the address of the stand-in.
  const actions = presetNames.flatMap((preset): [string, object][] => {
    const path = (presets[preset].call.url ?? '').replace(/^https:\/\/[^/]+/, '').replace('{{settings.url}}', '/hook');
    const call = { url: `${api.url}${path}` };
    return [
      [preset, { preset, settings, users, call }],
      [`${preset}-of-anybody`, { preset, settings, users: anybody, call }],
    ];
  });
  connectors = await startConnectors({
    storeUrl: store.url,
    shopUrl: shop.url,
    segments: {},
    actions: Object.fromEntries<object>(actions),
    environment: Object.fromEntries(secrets.map((name) => [name, `secret of ${name}`])),
  });
});

beforeEach(() => {
  api.requests.length = 0;
});

afterEach(() => queryDatabase(store.url, 'delete from connectors.paces'));

afterAll(async () => {
  await connectors.stop();
  api.close();
  await Promise.all([store.drop(), shop.drop()]);
});

const params = { text: 'Hi', title: 'Shop' };

async function call(preset: string, users: readonly string[], given: typeof answer) {
  answer = given;
  return await callBatch(`${connectors.url}/v1/actions/${preset}/batches`, { users, run: `run_${++runs}`, params });
}

const fcmError = (status: number, code: string, name: string): ApiAnswer => ({
  status,
  body: {
    error: {
      code: status,
      message: '…',
      status: name,
      details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code }],
    },
  },
});

describe('a preset', () => {
  it.each([
    ['webhook', '/hook', { user: 'u1', country: 'SG', step: 1, params }],
    [
      'sendgrid',
      '/v3/mail/send',
      { personalizations: [{ to: [{ email: 'u1@mail.test' }], dynamic_template_data: params }] },
    ],
    ['onesignal', '/notifications', { app_id: 'app-1', include_aliases: { external_id: ['u1'] }, custom_data: params }],
    [
      'fcm',
      '/v1/projects/shop/messages:send',
      { message: { token: 'token-1', notification: { title: 'Shop', body: 'Hi' } } },
    ],
    ['braze', '/campaigns/trigger/send', { campaign_id: 'welcome', recipients: [{ external_user_id: 'u1' }] }],
    ['voucherify', '/v1/publications', { campaign: { name: 'welcome', count: 1 }, customer: { source_id: 'u1' } }],
  ])('sends the request that the documentation of %s shows', async (preset, path, body) => {
    expect((await call(preset, ['u1'], () => ({ status: 200, body: { id: 'x' } }))).outcomes).toEqual({ u1: 'ok' });
    const [request] = api.requests;
    const sent: unknown = JSON.parse(request?.body ?? '');
    expect({ ...request, body: sent }).toMatchObject({ method: 'POST', path, body });
  });

  it.each(presetNames)('keeps all promises of class A: %s', async (preset) => {
    answer = () => ({ status: 200, body: { id: 'x' } });
    const url = `${connectors.url}/v1/actions/${preset}-of-anybody/batches`;
    const args = ['check-endpoint', url, '--class', 'A', '--params', JSON.stringify(params)];
    const { code, out } = await runMuster(args, { environment: {} });
    expect(out).toContain('keeps the contract of class A, as far as it was played\n');
    expect(code).toBe(0);
    expect(api.requests.length).toBeGreaterThan(0);
  });

  it('sends the form that the documentation of twilio shows', async () => {
    await call('twilio', ['u1'], () => ({ status: 201, body: { sid: 'SM1', status: 'queued' } }));
    expect(api.requests).toMatchObject([
      {
        path: '/2010-04-01/Accounts/AC1/Messages.json',
        body: 'To=%2B651&From=shop%40shop.test&Body=Hi',
        headers: {
          authorization: 'secret of TWILIO_AUTHORIZATION',
          'content-type': 'application/x-www-form-urlencoded',
        },
      },
    ]);
  });

  it('sends no user id to SendGrid, which displays and keeps custom arguments', async () => {
    await call('sendgrid', ['u1'], () => ({ status: 202 }));
    expect(api.requests[0]?.body).toMatch(/"custom_args":\{"key":"[0-9a-f-]{36}"\}/);
    expect(api.requests[0]?.body).not.toContain('"u1"');
  });

  it.each([
    [
      'twilio',
      'a number that does not exist',
      { status: 400, body: { code: 21211, message: '…', status: 400 } },
      { u1: 'no-such-number' },
    ],
    ['twilio', 'a number that unsubscribed', { status: 400, body: { code: 21610 } }, { u1: 'unsubscribed' }],
    ['twilio', 'another code', { status: 400, body: { code: 21617 } }, { u1: '21617' }],
    ['sendgrid', 'a recipient', { status: 400, body: { errors: [{ field: 'to', message: '…' }] } }, { u1: 'refused' }],
    [
      'onesignal',
      'an unknown user',
      { status: 200, body: { id: '', errors: { invalid_aliases: { external_id: ['u1'] } } } },
      { u1: 'no-such-user' },
    ],
    [
      'onesignal',
      'no subscription',
      { status: 200, body: { id: '', errors: ['All included players are not subscribed'] } },
      { u1: 'not-subscribed' },
    ],
    ['fcm', 'a device that is gone', fcmError(404, 'UNREGISTERED', 'NOT_FOUND'), { u1: 'unregistered' }],
    [
      'fcm',
      'a token of another sender',
      fcmError(403, 'SENDER_ID_MISMATCH', 'PERMISSION_DENIED'),
      { u1: 'other-sender' },
    ],
    ['fcm', 'a wrong token', fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'), { u1: 'invalid-token' }],
    ['braze', 'a request', { status: 400, body: { message: '…', errors: [] } }, { u1: 'refused' }],
    [
      'voucherify',
      'no voucher left',
      { status: 400, body: { code: 400, key: 'no_voucher_suitable_for_publication' } },
      { u1: 'no_voucher_suitable_for_publication' },
    ],
    [
      'voucherify',
      'a failed publication',
      { status: 200, body: { result: 'FAILURE', failure_code: 'limit' } },
      { u1: 'limit' },
    ],
    ['webhook', 'a user', { status: 422 }, { u1: 'http-422' }],
  ] satisfies [string, string, ApiAnswer, object][])(
    'fails the user when %s refuses %s',
    async (preset, _, given, outcomes) => {
      expect((await call(preset, ['u1'], () => given)).outcomes).toEqual(outcomes);
    },
  );

  it.each([
    ['twilio', { status: 401, body: { code: 20003 } }],
    ['sendgrid', { status: 403, body: { errors: [{ message: '…' }] } }],
    ['onesignal', { status: 400, body: { errors: ['app_id not found'] } }],
    ['fcm', fcmError(401, 'THIRD_PARTY_AUTH_ERROR', 'UNAUTHENTICATED')],
    ['braze', { status: 401, body: { message: 'Invalid API key' } }],
    ['voucherify', { status: 402, body: { code: 402 } }],
  ] satisfies [string, ApiAnswer][])(
    'holds the step for credentials and accounts that %s refuses',
    async (preset, given) => {
      expect(await call(preset, ['u1', 'u2'], () => given)).toMatchObject({ status: 501, code: 'misconfigured' });
    },
  );

  it.each([
    ['twilio', { status: 429, body: { code: 20429 } }, 1],
    ['sendgrid', { status: 429, body: { errors: [{ message: 'too many requests' }] } }, 1],
    ['onesignal', { status: 429, headers: { 'retry-after': '5' } }, 5],
    ['fcm', fcmError(429, 'QUOTA_EXCEEDED', 'RESOURCE_EXHAUSTED'), 60],
    ['braze', { status: 429, headers: { 'x-ratelimit-reset': '1' } }, 60],
    ['voucherify', { status: 429, body: { code: 429 } }, 60],
  ] satisfies [string, ApiAnswer, number][])('waits when %s limits the rate', async (preset, given, seconds) => {
    const limited = await call(preset, ['u1', 'u2'], () => given);
    expect(limited).toMatchObject({ status: 503, code: 'not-yet', outcomes: {} });
    expect(Number(limited.retryAfter)).toBe(seconds);
  });

  it.each(presetNames)('leaves a user out when %s answers 500', async (preset) => {
    expect((await call(preset, ['u1'], () => ({ status: 500 }))).outcomes).toEqual({});
  });

  it.each([
    ['sendgrid', 100],
    ['braze', 50],
  ])('puts up to the documented number of users into a request of %s', async (preset, count) => {
    const users = Array.from({ length: 120 }, (_, place) => `u${place + 1}`);
    const { outcomes } = await call(preset, users, () => ({ status: 202 }));
    expect(Object.values(outcomes)).toEqual(users.map(() => 'ok'));
    expect(api.requests).toHaveLength(Math.ceil(120 / count));
  });

  it.each(presetNames)('names the pages from which %s was taken', (preset) => {
    expect(presets[preset].sources.length).toBeGreaterThan(0);
    for (const source of presets[preset].sources) expect(new URL(source).protocol).toBe('https:');
  });
});
