import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runMuster } from '../../cli/test-muster.ts';
import { callBatch } from '../support/batch-calls.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { queryDatabase } from '../support/query-database.ts';
import { startConnectors, type RunningConnectors } from '../support/running-connectors.ts';
import { startStandInApi, type ApiAnswer, type ApiRequest, type StandInApi } from '../support/stand-in-api.ts';

let store: TestDatabase;
let shop: TestDatabase;
let connectors: RunningConnectors[] = [];
let apis: StandInApi[] = [];
let runs = 0;

beforeAll(async () => {
  [store, shop] = await Promise.all([createEmptyTestDatabase(), createEmptyTestDatabase()]);
  await queryDatabase(
    shop.url,
    'create table customers (id text, phone text)',
    `insert into customers values ('u1', '+65 1'), ('u2', '+65 2'), ('u3', null)`,
  );
});

afterEach(async () => {
  for (const each of connectors) await each.stop();
  for (const api of apis) api.close();
  [connectors, apis] = [[], []];
});

afterAll(async () => {
  await Promise.all([store.drop(), shop.drop()]);
});

interface Terms {
  answer: (request: ApiRequest, body: Body) => ApiAnswer | Promise<ApiAnswer>;
  /** Fields of `call` beside its URL and body. */
  call?: object;
  /** Other fields of the action. */
  more?: object;
}

const bodyForm = z.object({ user: z.string().optional(), users: z.array(z.string()).optional() });
type Body = z.infer<typeof bodyForm>;

/** Starts an API, and connectors with an action that calls it. */
async function start({ answer, call = {}, more = {} }: Terms) {
  const api = await startStandInApi((request) => answer(request, bodyForm.parse(JSON.parse(request.body || '{}'))));
  apis.push(api);
  const id = `notify-${++runs}`;
  const action = {
    call: { url: `${api.url}/messages`, body: { user: '{{user}}', text: '{{params.text}}' }, ...call },
    ...more,
  };
  const another = async () => {
    const running = await startConnectors({
      storeUrl: store.url,
      shopUrl: shop.url,
      segments: {},
      actions: { [id]: action },
    });
    connectors.push(running);
    return `${running.url}/v1/actions/${id}/batches`;
  };
  const calledUsers = () =>
    api.requests.flatMap(({ body }) => {
      const { user, users = [] } = bodyForm.parse(JSON.parse(body));
      return user === undefined ? users : [user];
    });
  return { api, url: await another(), run: `run_${runs}`, another, calledUsers };
}

const usersUpTo = (count: number) => Array.from({ length: count }, (_, place) => `u${place + 1}`);
const everyUser = (count: number, outcome: string) =>
  Object.fromEntries(usersUpTo(count).map((user) => [user, outcome]));

describe('an action by single calls', () => {
  it('keeps all promises of class A', async () => {
    const { url, api } = await start({
      answer: (_, { user = '' }) =>
        user.includes('-7') ? { status: 422, body: { reason: 'no-device' } } : { status: 200 },
      call: {
        answers: [{ status: 422, is: 'failed', codePath: 'reason' }],
        concurrency: 50,
        idempotencyHeader: 'idempotency-key',
      },
    });
    const args = ['check-endpoint', url, '--class', 'A', '--params', '{"text":"Hi"}'];
    const { code, out } = await runMuster(args, { environment: {} });
    expect(out).toContain('keeps the contract of class A, as far as it was played\n');
    expect(code).toBe(0);
    const keys = api.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys.length).toBeGreaterThan(100);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('calls only users whose result it does not know', async () => {
    const { url, run, another, calledUsers } = await start({
      answer: (_, { user }) => (user === 'u2' ? { status: 400 } : { status: 200 }),
    });
    const first = await callBatch(url, { users: ['u1', 'u2'], run });
    expect(first.outcomes).toEqual({ u1: 'ok', u2: 'http-400' });
    const other = await another();
    const second = await callBatch(other, { users: ['u3', 'u2', 'u1'], run });
    expect(second.outcomes).toEqual({ u1: 'ok', u2: 'http-400', u3: 'ok' });
    expect(calledUsers().toSorted()).toEqual(['u1', 'u2', 'u3']);
  });

  it('calls no user again if a key comes again with another body', async () => {
    const { url, run, calledUsers } = await start({ answer: () => ({ status: 200 }) });
    await callBatch(url, { users: ['u1'], run, key: run });
    expect((await callBatch(url, { users: ['u2', 'u1'], run, key: run })).outcomes).toEqual({ u1: 'ok', u2: 'ok' });
    expect(calledUsers()).toEqual(['u1', 'u2']);
  });

  it('calls each user once if two instances get repeats at the same time', async () => {
    const { url, run, another, calledUsers } = await start({ answer: () => ({ status: 200 }) });
    const other = await another();
    const users = usersUpTo(60);
    const answers = await Promise.all([url, other, url].map((each) => callBatch(each, { users, run })));
    for (const { outcomes } of answers) expect(outcomes).toEqual(everyUser(60, 'ok'));
    expect(calledUsers().toSorted()).toEqual(users.toSorted());
  });

  it('looks up attributes, and fails users without them', async () => {
    const { url, run, api } = await start({
      answer: () => ({ status: 200 }),
      call: {
        method: 'PUT',
        headers: { 'x-country': '{{country}}' },
        body: { to: '{{attributes.phone}}', points: '{{params.points}}' },
      },
      more: {
        users: { database: 'shop', query: 'select id as user_id, phone from customers where id = any(:users);' },
        missingCode: 'no-customer',
      },
    });
    const { outcomes } = await callBatch(url, { users: ['u1', 'u3', 'u9'], run, params: { points: 5 } });
    expect(outcomes).toEqual({ u1: 'ok', u3: 'missing-attribute', u9: 'no-customer' });
    expect(api.requests).toMatchObject([
      { method: 'PUT', body: '{"to":"+65 1","points":5}', headers: { 'x-country': 'SG' } },
    ]);
  });

  it.each([
    {
      what: 'returns no user_id',
      query: 'select id, phone from customers where id = any(:users)',
      answered: { status: 501, code: 'misconfigured' },
      message: 'the query has to return user_id in each row',
    },
    {
      what: 'takes longer than its limit',
      query: 'select id as user_id from customers where id = any(:users) and exists (select 1 from pg_sleep(60))',
      answered: { status: 503, code: 'not-applied', retryAfter: '1' },
      message: 'statement timeout',
    },
  ])('calls no user if the look-up $what, and names the cause', async ({ query, answered, message }) => {
    const { url, run, api } = await start({
      answer: () => ({ status: 200 }),
      more: { users: { database: 'shop', query, timeoutSeconds: 1 } },
    });
    const refused = await callBatch(url, { users: ['u1', 'u2'], run });
    expect(refused).toMatchObject({ ...answered, outcomes: {} });
    expect(refused.message).toMatch(new RegExp(`^actions\\.notify-\\d+\\.users: .*${message}`));
    expect(api.requests).toEqual([]);
  });

  it('sends a key that is the same in all repeats of a user', async () => {
    let isLost = true;
    const { url, run, api } = await start({
      answer: () => (isLost ? { end: 'lost' } : { status: 200 }),
      call: { idempotencyHeader: 'idempotency-key', recognizesRepeats: true },
    });
    expect((await callBatch(url, { users: ['u1'], run })).outcomes).toEqual({});
    isLost = false;
    expect((await callBatch(url, { users: ['u1', 'u2'], run })).outcomes).toEqual({ u1: 'ok', u2: 'ok' });
    const keys = api.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(2);
  });

  it('never repeats an unanswered request if the API does not recognize repeats, and leaves the user out', async () => {
    const { url, run, calledUsers } = await start({
      answer: (_, { user }) => (user === 'u1' ? { end: 'lost' } : { status: 200 }),
    });
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { status, outcomes } = await callBatch(url, { users: ['u1', 'u2'], run, attempt });
      expect({ status, outcomes }).toEqual({ status: 200, outcomes: { u2: 'ok' } });
    }
    expect(calledUsers().toSorted()).toEqual(['u1', 'u2']);
  });

  it('leaves a user out of its answer if a retryable answer follows an unanswered request', async () => {
    let answer: ApiAnswer = { end: 'lost' };
    const { url, run } = await start({
      answer: () => answer,
      call: { recognizesRepeats: true, answers: [{ status: 409, is: 'retryable', code: 'busy' }] },
    });
    await callBatch(url, { users: ['u1'], run });
    answer = { status: 409 };
    const { outcomes } = await callBatch(url, { users: ['u1', 'u2'], run });
    expect(outcomes).toEqual({ u2: 'busy, retryable' });
    answer = { status: 200 };
    expect((await callBatch(url, { users: ['u1', 'u2'], run })).outcomes).toEqual({ u1: 'ok', u2: 'ok' });
  });

  it('pauses all instances for the time of Retry-After, and loses no user', async () => {
    let isLimited = false;
    const { url, run, another, calledUsers } = await start({
      answer: () => (isLimited ? { status: 429, headers: { 'retry-after': '60' } } : { status: 200 }),
      call: { concurrency: 1 },
    });
    const other = await another();
    expect((await callBatch(url, { users: ['u1'], run })).outcomes).toEqual({ u1: 'ok' });
    isLimited = true;
    const limited = await callBatch(url, { users: ['u1', 'u2', 'u3'], run });
    expect(limited.outcomes).toEqual({ u1: 'ok', u2: 'not-called, retryable', u3: 'not-called, retryable' });
    isLimited = false;
    const paused = await callBatch(other, { users: ['u2', 'u3'], run });
    expect(paused).toMatchObject({ status: 503, code: 'not-yet' });
    expect(Number(paused.retryAfter)).toBeGreaterThan(50);
    expect(calledUsers()).toEqual(['u1', 'u2']);
    await queryDatabase(store.url, `update connectors.paces set next_at = now() where name like 'notify-%'`);
    expect((await callBatch(other, { users: ['u2', 'u3'], run })).outcomes).toEqual({ u2: 'ok', u3: 'ok' });
    expect(calledUsers()).toEqual(['u1', 'u2', 'u2', 'u3']);
  });

  it('holds the step for an answer that a person has to act on', async () => {
    let status = 401;
    const { url, run } = await start({ answer: () => ({ status }) });
    expect(await callBatch(url, { users: ['u1', 'u2'], run })).toMatchObject({ status: 501, code: 'misconfigured' });
    status = 200;
    expect((await callBatch(url, { users: ['u1', 'u2'], run })).outcomes).toEqual({ u1: 'ok', u2: 'ok' });
  });

  it('refuses a campaign without a parameter that the request needs', async () => {
    const { url, run, api } = await start({ answer: () => ({ status: 200 }) });
    const refused = await callBatch(url, { users: ['u1'], run, params: {} });
    expect(refused).toMatchObject({ status: 422, code: 'missing-parameter' });
    expect(refused.message).toContain('{{params.text}}');
    expect(api.requests).toEqual([]);
  });

  it('calls nothing and stores nothing in a test', async () => {
    const { url, run, api } = await start({ answer: () => ({ status: 400 }) });
    expect((await callBatch(url, { users: ['u1'], run, mode: 'test' })).outcomes).toEqual({ u1: 'ok' });
    expect(api.requests).toEqual([]);
    expect((await callBatch(url, { users: ['u1'], run })).outcomes).toEqual({ u1: 'http-400' });
  });

  it('has as many requests in flight as its concurrency allows, over all batches of the process', async () => {
    const allInFlight = Promise.withResolvers<undefined>();
    let came = 0;
    const { url, run, api } = await start({
      answer: async () => {
        if (++came === 3) allInFlight.resolve(undefined);
        await allInFlight.promise;
        return { status: 200 };
      },
      call: { concurrency: 3 },
    });
    const batches = [usersUpTo(20), usersUpTo(40).slice(20)];
    await Promise.all(batches.map((users) => callBatch(url, { users, run })));
    expect(api.requests).toHaveLength(40);
    expect(api.mostAtOnce()).toBe(3);
  });

  it('begins no request after the time limit of a batch, and returns the other users as not called', async () => {
    const { url, run, calledUsers } = await start({
      answer: () => ({ status: 200 }),
      call: { perSecond: 2 },
      more: { workSeconds: 1 },
    });
    const { outcomes } = await callBatch(url, { users: usersUpTo(50), run });
    const called = Object.entries(outcomes).filter(([, outcome]) => outcome === 'ok');
    expect(called.length).toBeGreaterThanOrEqual(2);
    expect(called.length).toBeLessThanOrEqual(4);
    expect(Object.values(outcomes).filter((outcome) => outcome === 'not-called, retryable')).toHaveLength(
      50 - called.length,
    );
    expect(calledUsers()).toHaveLength(called.length);
  });
});

describe('an action with several users in a request', () => {
  const call = { usersPerCall: 4, body: { text: '{{params.text}}', users: { forEachUser: '{{user}}' } } };

  it('reads the answer by user', async () => {
    const { url, run, api } = await start({
      answer: (_, { users = [] }) => ({
        status: 200,
        body: { sent: users.filter((user) => user !== 'u6').map((id) => ({ id, error: id === 'u2' ? 'full' : null })) },
      }),
      call: {
        ...call,
        perUser: { list: 'sent', id: 'id' },
        answers: [
          { path: 'error', equals: null, is: 'succeeded' },
          { path: 'error', is: 'failed', codePath: 'error' },
        ],
      },
    });
    const { outcomes } = await callBatch(url, { users: usersUpTo(6), run });
    expect(outcomes).toEqual({ u1: 'ok', u2: 'full', u3: 'ok', u4: 'ok', u5: 'ok' });
    expect(api.requests).toHaveLength(2);
  });

  it('halves a refused request, and calls no served user twice', async () => {
    const served: string[] = [];
    const { url, run } = await start({
      answer: (_, { users = [] }) => {
        if (users.includes('u3')) return { status: 400 };
        served.push(...users);
        return { status: 202 };
      },
      call,
    });
    const { outcomes } = await callBatch(url, { users: usersUpTo(9), run });
    expect(outcomes).toEqual({ ...everyUser(9, 'ok'), u3: 'http-400' });
    expect(served.toSorted()).toEqual(usersUpTo(9).filter((user) => user !== 'u3'));
  });
});
