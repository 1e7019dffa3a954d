import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { apiKeyShape, issuedApiKey } from '../../../../shared/contracts/access/api-keys.ts';
import { jobResults } from '../../../../shared/contracts/jobs/jobs.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { problem } from '../../frame/problems.contract.ts';
import { createKeyRateExchange } from './postgres/key-rate-exchange.ts';

const on = apiOnPostgres();

const none = { jobsPerSecond: null, storedJobs: null, requestsPerMinute: null };
const someJob = { client: 'orders', url: 'https://shop.test/hook', body: { order: 17 } };

async function made(bounds: object, more: object = {}, by?: string) {
  const body = { name: 'orders-prod', role: 'scheduler', scope: { clients: ['orders'] }, bounds, ...more };
  return await ask(by, 'POST', '/v1/api-keys', body);
}

async function keyOf(bounds: object, more: object = {}) {
  return issuedApiKey.parse((await made(bounds, more)).json());
}

function ask(secret: string | undefined, method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) {
  if (secret === undefined) return on.ask(method, url, payload);
  const headers = { authorization: `Bearer ${secret}` };
  return on.api.server.inject({ method, url, headers, ...(payload && { payload }) });
}

const makeClient = (definition: object = {}) => on.ask('POST', '/v1/clients', { name: 'orders', ...definition });

async function submitJobs(secret: string, times: number) {
  const answers = [];
  for (let each = 0; each < times; each++) answers.push(await ask(secret, 'POST', '/v1/jobs', someJob));
  return answers;
}

describe('a key with limits of its own', () => {
  it('is returned with its limits as they were set, and has none by default', async () => {
    await makeClient();
    const { key } = await keyOf({ jobsPerSecond: 200, storedJobs: 500_000 });
    expect(key.bounds).toEqual({ jobsPerSecond: 200, storedJobs: 500_000, requestsPerMinute: null });
    expect(apiKeyShape.parse((await on.ask('GET', key.links.self)).json()).bounds).toEqual(key.bounds);
    expect((await keyOf({})).key.bounds).toEqual(none);
  });

  it('cannot submit more jobs per second than its limit, while another key of its client can', async () => {
    await makeClient();
    const [bounded, free] = [await keyOf({ jobsPerSecond: 2 }), await keyOf({})];
    const answers = await submitJobs(bounded.secret, 3);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 429]);
    expect(answers[2]?.headers['retry-after']).toBe('1');
    expect(problem.parse(answers[2]?.json())).toMatchObject({
      code: 'too-many-jobs',
      detail: 'this key may submit 2 jobs per second (bounds.jobsPerSecond)',
    });
    expect((await submitJobs(free.secret, 1))[0]?.statusCode).toBe(201);

    on.deps.clock.advance(1000);
    const jobs = [someJob, someJob, someJob];
    const bulk = jobResults.parse((await ask(bounded.secret, 'POST', '/v1/jobs/bulk', { jobs })).json());
    expect(bulk).toMatchObject({ accepted: 2, refused: 1 });
    expect(bulk.results[2]).toMatchObject({ errors: [{ code: 'too-many-jobs' }] });
  });

  it('uses its rate only for stored jobs, and not for duplicates or refused jobs', async () => {
    await makeClient({ maxStoredJobs: 2 });
    const { secret } = await keyOf({ jobsPerSecond: 2 });
    const job = { ...someJob, idempotencyKey: 'a' };
    const statuses = [];
    for (let each = 0; each < 3; each++) statuses.push((await ask(secret, 'POST', '/v1/jobs', job)).statusCode);
    statuses.push(...(await submitJobs(secret, 1)).map(({ statusCode }) => statusCode));
    expect(statuses).toEqual([201, 200, 200, 201]);
    const [refused] = await submitJobs(secret, 1);
    expect([refused?.statusCode, problem.parse(refused?.json()).detail]).toEqual([
      429,
      'this key may submit 2 jobs per second (bounds.jobsPerSecond)',
    ]);
    on.deps.clock.advance(1000);
    for (const answer of await submitJobs(secret, 4)) {
      expect(problem.parse(answer.json()).detail).toMatch(/maxStoredJobs is 2$/);
    }
  });

  it('cannot submit jobs while its client stores as many as the limit of the key, even if the client may store more', async () => {
    await makeClient();
    const [bounded, free] = [await keyOf({ storedJobs: 2 }), await keyOf({})];
    await submitJobs(free.secret, 1);
    const answers = await submitJobs(bounded.secret, 2);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 429]);
    expect(problem.parse(answers[1]?.json())).toMatchObject({
      code: 'quota-exceeded',
      detail: 'the client "orders" has 2 open jobs, and this key may submit more only below 2 (bounds.storedJobs)',
    });
    expect((await submitJobs(free.secret, 1))[0]?.statusCode).toBe(201);
  });

  it('is refused above its limit of requests per minute, with the limit in the refusal, while submissions of jobs do not count', async () => {
    await makeClient();
    const { secret } = await keyOf({ requestsPerMinute: 2 });
    const answers = [];
    for (let each = 0; each < 3; each++) answers.push(await ask(secret, 'GET', '/v1/system'));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
    expect(answers[2]?.headers['retry-after']).toBeDefined();
    expect(problem.parse(answers[2]?.json()).detail).toContain(
      'more than 2 requests in a minute of this key (bounds.requestsPerMinute)',
    );
    // Submissions of jobs have limits of their own.
    expect((await submitJobs(secret, 1))[0]?.statusCode).toBe(201);
  });

  it('cannot have higher limits than its clients or the key that creates it', async () => {
    await makeClient({ maxStoredJobs: 1000, acceptPerSecond: 50 });
    const beyond = await made({ storedJobs: 1001, jobsPerSecond: 51 });
    expect(problem.parse(beyond.json()).errors).toEqual([
      {
        pointer: '/bounds/storedJobs',
        code: 'beyond-client',
        detail: 'is 1001, and none of its clients may have more than 1000 (maxStoredJobs)',
      },
      {
        pointer: '/bounds/jobsPerSecond',
        code: 'beyond-client',
        detail: 'is 51, and none of its clients may have more than 50 (acceptPerSecond)',
      },
    ]);
    const lead = await keyOf({ jobsPerSecond: 20 }, { role: 'operator' });
    for (const bounds of [{}, { jobsPerSecond: 21 }]) {
      const refused = await made(bounds, {}, lead.secret);
      expect([refused.statusCode, problem.parse(refused.json()).code]).toEqual([403, 'out-of-scope']);
    }
    expect((await made({ jobsPerSecond: 20 }, {}, lead.secret)).statusCode).toBe(201);
  });

  it('applies changed limits at once', async () => {
    await makeClient();
    const { key, secret } = await keyOf({ jobsPerSecond: 1 });
    expect((await submitJobs(secret, 2)).map(({ statusCode }) => statusCode)).toEqual([201, 429]);
    const changed = await on.ask('PATCH', key.links.self, { bounds: { storedJobs: 5 } });
    expect(apiKeyShape.parse(changed.json()).bounds).toEqual({ ...none, storedJobs: 5 });
    expect((await submitJobs(secret, 1))[0]?.statusCode).toBe(201);
    expect((await on.ask('PATCH', key.links.self, { bounds: { storedJobs: 0 } })).statusCode).toBe(422);
  });
});

describe('the number of jobs that a key has submitted', () => {
  it('is exchanged between processes, and excludes processes that were silent for ten minutes', async () => {
    const [key, other] = [uuidv7(), uuidv7()];
    const [one, two] = [uuidv7(), uuidv7()].map((owner) => createKeyRateExchange({ pool: on.pool, owner }));
    const exchanged = async (exchange: typeof one, jobs: number) =>
      [...((await exchange?.(new Map([[key, jobs]]))) ?? [])].map(([keyId, others]) => [keyId === key, others]);
    expect(await exchanged(one, 5)).toEqual([[true, 0]]);
    expect(await exchanged(two, 7)).toEqual([[true, 5]]);
    expect(await exchanged(one, -2)).toEqual([[true, 7]]);
    expect(await exchanged(two, 0)).toEqual([[true, 3]]);
    expect([...((await two?.(new Map([[other, 1]]))) ?? [])]).toEqual([[other, 0]]);

    await on.pool.query(`update api_key_rates set reported_at = reported_at - interval '11 minutes' where jobs = 3`);
    expect(await exchanged(two, 0)).toEqual([[true, 0]]);
    expect((await on.rowsOf('api_key_rates')).map(({ jobs }) => jobs).toSorted()).toEqual(['1', '7']);
  });
});
