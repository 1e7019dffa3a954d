import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

const shard = {
  id: 'award-reward.SG',
  actionType: 'award-reward',
  country: 'SG',
  topic: 'muster.award-reward.SG',
  partitions: { wanted: 6, actual: 6 },
  workers: [
    { worker: 'worker-1', partitions: [0, 1, 2] },
    { worker: 'worker-2', partitions: [] },
  ],
  lag: { messages: 1200, batches: 40, waiting: 2, aheadBatches: 40, aheadSeconds: 12.4 },
  inFlight: 7,
  callLimit: 100,
  batchesPerSecond: 3.2,
  breaker: 'closed',
  endpoint: null,
  lanes: [
    { partition: 0, worker: 'worker-1', messages: 200 },
    { partition: 1, worker: 'worker-1', messages: 1000 },
    { partition: 2, worker: null, messages: 0 },
  ],
  desiredWorkers: 2,
  notes: ['more workers than partitions'],
};
const path = '/v1/shards/award-reward.SG';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (...args: string[]) => runMuster(args, { api });

describe('muster shards', () => {
  it('prints one line per shard, with notes for the operator', async () => {
    const unknown = { ...shard, country: 'VN', lag: { ...shard.lag, messages: null }, notes: [], breaker: 'open' };
    api.answers['GET /v1/shards'] = { status: 200, body: { items: [shard, unknown] } };
    const { code, out } = await muster('shards');
    expect(code).toBe(exitCodes.ok);
    expect(out).toMatch(/award-reward +SG +6 +2 +1,200 +2 .* 7\/100 +3\.2 +closed/);
    expect(out).toMatch(/award-reward +VN +6 +2 +\? .* open/);
    expect(out).toContain('award-reward SG: more workers than partitions');
  });

  it('--json prints the response of the API', async () => {
    api.answers['GET /v1/shards'] = { status: 200, body: { items: [shard] } };
    const { out } = await muster('--json', 'shards');
    expect(JSON.parse(out)).toEqual({ items: [shard] });
  });
});

describe('muster shards show', () => {
  it('prints the partitions of each worker', async () => {
    api.answers[`GET ${path}`] = { status: 200, body: shard };
    const { out } = await muster('shards', 'show', 'award-reward', 'SG');
    expect(out).toContain('worker-1: 0, 1, 2');
    expect(out).toContain('worker-2: nothing');
    expect(out).toMatch(/lies in +partition 1: 1,000, worker-1\n +partition 0: 200, worker-1\n/);
    expect(out).toContain('7 of 100 in flight');
    expect(out).toContain('more workers than partitions');
  });

  it('fails if the shard does not exist', async () => {
    const problem = { type: 'urn:x', title: 'Not Found', status: 404, detail: 'there is no shard "award-reward.XX"' };
    const body = { ...problem, code: 'shard-not-found', errors: [], requestId: 'r' };
    api.answers['GET /v1/shards/award-reward.XX'] = { status: 404, body };
    const { code, notes } = await muster('shards', 'show', 'award-reward', 'XX');
    expect(code).toBe(exitCodes.refused);
    expect(notes).toContain('there is no shard "award-reward.XX"');
  });
});

describe('muster shards set', () => {
  const set = (partitions: string) => muster('shards', 'set', 'award-reward', 'SG', '--partitions', partitions);
  const with12 = (actual: number | null) => ({ ...shard, partitions: { wanted: 12, actual } });

  it('raises the number of partitions and waits until Kafka has created them', async () => {
    api.answers[`PATCH ${path}`] = { status: 200, body: with12(6) };
    api.answers[`GET ${path}`] = { status: 200, body: with12(12) };
    const { code, out, notes } = await set('12');
    expect(code).toBe(exitCodes.ok);
    expect(api.bodies).toEqual([{ partitions: 12 }]);
    expect(out).toBe('muster.award-reward.SG 12 partitions\n');
    expect(notes).toBe('');
  });

  it('does not wait if the API cannot read the number of partitions from Kafka', async () => {
    api.answers[`PATCH ${path}`] = { status: 200, body: with12(null) };
    const { code, notes } = await set('12');
    expect(code).toBe(exitCodes.ok);
    expect(api.requests).toHaveLength(1);
    expect(notes).toContain('Kafka does not tell');
  });

  it('prints under the name of the option why the API refused the number', async () => {
    const errors = [{ pointer: '/partitions', code: 'out-of-range', detail: 'has to be at least 6, not 3' }];
    const problem = { type: 'urn:x', title: 'x', status: 422, detail: 'the request has problems', code: 'x', errors };
    api.answers[`PATCH ${path}`] = { status: 422, body: { ...problem, requestId: 'r' } };
    const { code, notes } = await set('3');
    expect(code).toBe(exitCodes.refused);
    expect(notes).toContain('--partitions');
    expect(notes).toContain('not raised');
  });

  it.each(['0', '1.5', 'many'])('rejects %s without sending a request', async (partitions) => {
    const { code, notes } = await set(partitions);
    expect(code).toBe(exitCodes.usage);
    expect(notes).toContain('whole number');
    expect(api.requests).toHaveLength(0);
  });
});
