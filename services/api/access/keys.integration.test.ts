import { get as httpGet, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKeyShape } from '../../../shared/contracts/access/api-keys.ts';
import { keyCalls } from '../../../shared/contracts/access/callers.ts';
import { campaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { digestOfApiKey, issueApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';
import { createPrometheusMeter } from '../../../shared/runtime/meter/prometheus-meter.ts';
import { authorized, someCampaign, testApiKey } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { settled } from '../../../test/support/pass-time.ts';
import { createApi, type Api } from '../api.ts';
import { createCallerCounter, type CallerCounter, type CallerCounts } from './callers/caller-counter.ts';
import { createCallerCountStore } from './callers/postgres/caller-count-store.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

let api: Api;
let lookups: (readonly string[])[];
let linesOf: (name: string) => Promise<string[]>;

beforeEach(async () => {
  lookups = [];
  const meter = createPrometheusMeter(on.deps);
  linesOf = async (name) => (await meter.expose()).text.split('\n').filter((line) => line.startsWith(name));
  const apiKeys = {
    ...on.deps.apiKeys,
    find: (digests: readonly string[]) => {
      lookups.push(digests);
      return on.deps.apiKeys.find(digests);
    },
  };
  api = await createApi({ ...on.deps, apiKeys, meter });
});

afterEach(async () => {
  await api.close();
});

async function ask(key: string, remoteAddress = '10.0.0.1') {
  const headers = { authorization: `Bearer ${key}` };
  return await api.server.inject({ method: 'GET', url: '/v1/campaigns', headers, remoteAddress });
}

const unknownKey = (number: number) => `muster_${String(number).padStart(40, '0')}`;

describe('an unknown key', () => {
  it.each(['short', `muster_${'x'.repeat(600)}`, 'muster_schlüssel-mit-umlaut'])('causes no query: %j', async (key) => {
    expect((await ask(key)).statusCode).toBe(401);
    expect(lookups).toEqual([]);
  });

  it('causes one query in ten seconds, however often it is sent', async () => {
    for (let time = 0; time < 20; time++) expect((await ask(unknownKey(1))).statusCode).toBe(401);
    expect(lookups).toHaveLength(1);

    await on.passTime(10_001);
    await ask(unknownKey(1));

    expect(lookups).toHaveLength(2);
  });

  it('counts as a refused request in the metrics', async () => {
    await ask(unknownKey(1));
    await api.server.inject({ method: 'GET', url: '/v1/campaigns' });
    await ask(testApiKey);

    expect(await linesOf('muster_api_unauthorized_total')).toEqual(['muster_api_unauthorized_total 2']);
  });

  it('causes no query if it has the form of a key but a wrong checksum', async () => {
    const { secret } = issueApiKey();
    const garbled = [
      secret.slice(0, -1),
      `${secret}0`,
      secret.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      'mk_nothing-like-it',
    ];
    for (const key of garbled) expect((await ask(key)).statusCode).toBe(401);
    expect(lookups).toEqual([]);
    expect((await ask(secret)).statusCode).toBe(401);
    expect(lookups).toHaveLength(1);
  });

  it('shares one query with other unknown keys that arrive at the same time', async () => {
    const { promise: held, resolve: answer } = Promise.withResolvers<undefined>();
    const { find } = on.deps.apiKeys;
    let isOpen = 0;
    let mostOpen = 0;
    const apiKeys = {
      ...on.deps.apiKeys,
      find: async (digests: readonly string[]) => {
        lookups.push(digests);
        mostOpen = Math.max(mostOpen, ++isOpen);
        await held;
        const found = await find(digests);
        isOpen -= 1;
        return found;
      },
    };
    await api.close();
    api = await createApi({ ...on.deps, apiKeys });
    const requests = Array.from({ length: 700 }, (_, number) => ask(unknownKey(number)));
    await settled();
    answer(undefined);

    const answers = await Promise.all(requests);

    expect(answers.every(({ statusCode }) => statusCode === 401)).toBe(true);
    expect(mostOpen).toBe(1);
    expect(lookups.length).toBeLessThanOrEqual(4);
  });

  it('does not delay a valid key, even after thousands of requests from the same address', async () => {
    for (let thousand = 0; thousand < 3; thousand++) {
      await Promise.all(Array.from({ length: 1000 }, (_, number) => ask(unknownKey(thousand * 1000 + number))));
    }
    expect((await ask(testApiKey)).statusCode).toBe(200);
  });

  it('does not block valid keys from the same address, such as the address of a proxy', async () => {
    const keys = Array.from({ length: 200 }, (_, number) => unknownKey(number));
    for (const key of keys)
      await on.deps.apiKeys.add({ name: 'one of many', digest: digestOfApiKey(key), role: 'operator' });

    const answers = await Promise.all(keys.map((key) => ask(key)));

    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(200);
    expect((await ask(unknownKey(1000))).statusCode).toBe(401);
  });

  it('is accepted as soon as it is created, if it was never used before', async () => {
    await ask(unknownKey(1));
    await on.deps.apiKeys.add({ name: 'new', digest: digestOfApiKey(unknownKey(2)), role: 'operator' });

    expect((await ask(unknownKey(2))).statusCode).toBe(200);
  });
});

describe('an expired or revoked key', () => {
  const written: CallerCounts[] = [];
  let counter: CallerCounter;
  let key: string;
  const ended = unknownKey(41);

  beforeEach(async () => {
    written.length = 0;
    const { clock, logger } = on.deps;
    const write = async (counts: CallerCounts) => {
      written.push(counts);
      await createCallerCountStore({ pool: on.pool })(counts);
    };
    counter = createCallerCounter({ write, clock, logger });
    counter.start();
    await api.close();
    api = await createApi({ ...on.deps, callerCounter: counter });
    const expired = { name: 'nightly', digest: digestOfApiKey(ended), role: 'viewer', expiresAt: new Date(0) } as const;
    key = (await on.deps.apiKeys.add(expired)).key;
  });
  afterEach(() => counter.stop());

  const refusalsOf = async () => {
    const answer = await on.ask('GET', `/v1/api-keys/${publicId('apiKey', key)}`);
    return apiKeyShape.parse(answer.json()).refusals;
  };

  it('has the number of its refused requests, their last time and IP address, including refused log-ins to the console', async () => {
    expect((await ask(ended, '10.20.7.14')).statusCode).toBe(401);
    const payload = { apiKey: ended };
    const headers = { host: 'muster.test', origin: 'http://muster.test' };
    const remoteAddress = '10.20.7.15';
    const login = await api.server.inject({ method: 'POST', url: '/v1/session', headers, payload, remoteAddress });
    expect(login.statusCode).toBe(401);
    await on.passTime(61_000);
    expect(await refusalsOf()).toMatchObject({ count: 2, lastFrom: '10.20.7.15' });
    const listed = await on.ask('GET', '/v1/api-keys?refused=true');
    expect(listed.json<{ items: { name: string }[] }>().items.map(({ name }) => name)).toEqual(['nightly']);
  });

  it('causes one statement a minute, however often it is sent', async () => {
    for (let time = 0; time < 50; time++) expect((await ask(ended)).statusCode).toBe(401);
    await on.passTime(59_000);
    expect(written.length).toBeLessThanOrEqual(1);
    await on.passTime(61_000);
    expect(written.length).toBeLessThanOrEqual(2);
    expect(await refusalsOf()).toMatchObject({ count: 50 });
  });

  it('has its refused requests listed by day and operation, like the requests of a valid key', async () => {
    const callsOf = async (id: string) => {
      const answer = await on.ask('GET', `/v1/api-keys/${publicId('apiKey', id)}/calls`);
      return keyCalls.parse(answer.json());
    };
    const good = async (url: string, method: 'GET' | 'POST' = 'GET') =>
      (await api.server.inject({ method, url, headers: authorized })).statusCode;
    await ask(ended);
    expect([await good('/v1/campaigns'), await good('/v1/campaigns'), await good('/v1/runs/run_x')]).toEqual([
      ...[200, 200, 404],
    ]);
    expect(await good('/v1/no-such-path')).toBe(404);
    await on.passTime(61_000);
    expect((await callsOf(key)).operations).toMatchObject([{ operation: 'listCampaigns', done: 0, refused: 1 }]);

    const { days, operations } = await callsOf(on.key);
    const counted = operations.map(({ operation, done, refused, failed }) => [operation, done, refused, failed]);
    expect(Object.fromEntries(counted.map(([operation, ...counts]) => [operation, counts]))).toEqual({
      listCampaigns: [2, 0, 0],
      getRun: [0, 1, 0],
      none: [0, 1, 0],
    });
    expect(days.map(({ day }) => day)).toHaveLength(8);
    expect(days.at(-1)).toEqual({ day: '2026-01-01', done: 2, refused: 2, failed: 0 });
    expect(days.at(-2)).toEqual({ day: '2025-12-31', done: 0, refused: 0, failed: 0 });
  });

  it('is counted only if it existed: made-up keys are not counted, and cause no write', async () => {
    await Promise.all(Array.from({ length: 1000 }, (_, number) => ask(unknownKey(1000 + number))));
    await on.passTime(120_000);
    expect(written).toEqual([]);
    expect(await refusalsOf()).toBeNull();
  });
});

describe('event streams', () => {
  let url: string;

  beforeEach(async () => {
    const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign));
    const runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' });
    url = `${await api.start()}/v1/runs/${publicId('run', runId)}/progress`;
  });

  function open(key = testApiKey): Promise<IncomingMessage> {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    return new Promise((resolve, reject) => {
      httpGet(url, { headers }, resolve).once('error', reject);
    });
  }

  it('end within two seconds after another process has revoked their key, without an event `end`', async () => {
    const stream = await open();
    const read = stream.toArray();
    await on.deps.apiKeys.revoke(on.key);

    await on.passTime(2_000);

    const text = (await read).map(String).join('');
    expect(text).toContain('event: progress');
    expect(text).not.toContain('event: end');
  });

  it('continue while the key is valid', async () => {
    const stream = await open();
    let ended = false;
    stream.resume().once('end', () => (ended = true));

    await on.passTime(60_000);

    expect(ended).toBe(false);
    stream.destroy();
  });

  it('are limited to five hundred per key, and others can be opened after some are closed', async () => {
    const another = unknownKey(7);
    await on.deps.apiKeys.add({ name: 'another', digest: digestOfApiKey(another), role: 'operator' });
    const streams = await Promise.all(Array.from({ length: 500 }, () => open()));

    const oneMore = await open();
    expect(oneMore.statusCode).toBe(429);
    expect(oneMore.headers['retry-after']).toBe('5');
    expect(problem.parse(JSON.parse((await oneMore.toArray()).map(String).join(''))).code).toBe('too-many-streams');
    const others = await open(another);
    expect(others.statusCode).toBe(200);

    streams[0]?.destroy();
    await expect
      .poll(async () => {
        const again = await open();
        again.destroy();
        return again.statusCode;
      })
      .toBe(200);
    for (const stream of [...streams, others]) stream.destroy();
  });

  it('are not opened by HEAD requests', async () => {
    const headers = { ...authorized, accept: 'text/event-stream' };
    const response = await api.server.inject({ method: 'HEAD', url: new URL(url).pathname, headers });

    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toContain('text/event-stream');
    expect(on.deps.clock.nextWakeMs()).toBeUndefined();
  });
});
