import { beforeEach, describe, expect, it } from 'vitest';
import { endpointShape } from '../../shared/contracts/jobs/client-endpoints.ts';
import { jobShape } from '../../shared/contracts/jobs/job-shapes.ts';
import { acceptedJob } from '../../shared/contracts/jobs/jobs.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';

const on = apiOnPostgres();
const { ask } = on;
const endpoints = '/v1/clients/orders/endpoints';

const errorsOf = async (answer: ReturnType<typeof ask>) =>
  (await answer)
    .json<{ errors: { pointer: string; code: string; detail: string }[] }>()
    .errors.map(({ pointer, code, detail }) => [pointer, code, detail]);

describe('an endpoint that is a Kafka topic', () => {
  beforeEach(async () => {
    await ask('POST', '/v1/clients', { name: 'orders', endpoint: { sealPaths: true } });
  });

  it('is created, and its jobs have the topic as URL and sealed headers', async () => {
    const made = await ask('POST', endpoints, { name: 'events', url: 'kafka:shop.orders' });
    expect(endpointShape.parse(made.json())).toMatchObject({ name: 'events', url: 'kafka:shop.orders' });
    const headers = { 'x-api-key': 'a secret' };
    const { id } = acceptedJob.parse(
      (await ask('POST', '/v1/jobs', { client: 'orders', endpoint: 'events', headers, body: { order: 17 } })).json(),
    );
    const job = jobShape.parse((await ask('GET', `/v1/jobs/${id}`)).json());
    expect(job).toMatchObject({ url: 'kafka:shop.orders', endpoint: 'events' });
    expect(job.headers?.['x-api-key']).toEqual({ set: true, length: 8 });
  });

  it.each([
    ['kafka:payments', 'forbidden-topic', /DISPATCHER_TARGET_TOPICS does not name it/],
    ['kafka:muster.local.calls', 'forbidden-topic', /Muster’s own/],
    ['kafka:__consumer_offsets', 'forbidden-topic', /Kafka’s own/],
    ['kafka:', 'invalid-url', /name of a topic/],
    ['kafka:a/b', 'invalid-url', /name of a topic/],
  ])('is refused with the URL %s, naming field and value', async (url, code, detail) => {
    const found = await errorsOf(ask('POST', endpoints, { name: 'events', url }));
    expect(found).toEqual([['/url', code, expect.stringMatching(detail)]]);
  });

  it('accepts no URL in its jobs, and no other job can write to a topic', async () => {
    await ask('POST', endpoints, { name: 'events', url: 'kafka:orders' });
    const job = { client: 'orders', endpoint: 'events', url: 'https://shop.test/hook' };
    expect(await errorsOf(ask('POST', '/v1/jobs', job))).toEqual([
      ['/url', 'other-origin', expect.stringContaining('writes to the topic orders')],
    ]);
    const [[pointer] = []] = await errorsOf(ask('POST', '/v1/jobs', { client: 'orders', url: 'kafka:orders' }));
    expect(pointer).toBe('/url');
  });
});
