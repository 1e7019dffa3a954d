import { beforeEach, describe, expect, it } from 'vitest';
import { authorized, createApiDeps } from '../../../test/support/api-deps.ts';
import { createMemoryEndpointGuards } from '../../../test/support/memory/endpoint-guards.ts';
import { createMemoryShardReports } from '../../../test/support/memory/shard-figures.ts';
import { createApi, type Api } from '../api.ts';
import { problem } from '../frame/problems.contract.ts';
import { shard } from './shards.contract.ts';
import { desiredWorkers } from './shard-view.ts';

const url = '/v1/shards/award-reward.SG';
const topic = 'muster.award-reward.SG';
const busy = { inFlight: 3, callLimit: 8, waiting: 0, breakerOpen: false, batchesPerSecond: 2.5 };

let deps: Awaited<ReturnType<typeof createApiDeps>>;
let api: Api;
beforeEach(async () => {
  deps = await createApiDeps();
  api = await createApi(deps);
});

const ask = (method: 'GET' | 'PATCH', payload?: object) =>
  api.server.inject({ method, url, headers: authorized, ...(payload && { payload }) });

function report(workers: readonly string[], changes: object = {}) {
  const reports = createMemoryShardReports({ database: deps.database });
  const said = { actionType: 'award-reward', country: 'SG', ...busy, ...changes };
  return Promise.all(workers.map((worker) => reports.report(worker, [said])));
}

describe('a shard', () => {
  it('tells who has which partition, what lies there and what is under way', async () => {
    await report(['a', 'b']);
    deps.group.traffic.set(topic, [
      { partition: 0, unhandled: 4, member: 'a' },
      { partition: 1, unhandled: 3, member: 'b' },
    ]);

    const shown = shard.parse((await ask('GET')).json());

    expect(shown).toMatchObject({ topic, partitions: { wanted: 6, actual: 2 }, inFlight: 6, callLimit: 16 });
    expect(shown).toMatchObject({ batchesPerSecond: 5, breaker: 'closed', lag: { messages: 7, aheadSeconds: 0 } });
    expect(shown.workers).toEqual([
      { worker: 'a', partitions: [0] },
      { worker: 'b', partitions: [1] },
    ]);
    expect(shown.lanes).toEqual([
      { partition: 0, worker: 'a', messages: 4 },
      { partition: 1, worker: 'b', messages: 3 },
    ]);
    expect(shown.notes).toEqual(['Kafka has 2 of 6 partitions so far']);
  });

  it('tells how far behind it was, as often as somebody looked', async () => {
    await ask('GET');
    deps.clock.advance(60_000);
    const { history } = shard.parse((await ask('GET')).json()).lag;
    expect(history.slice(-3)).toEqual([0, null, 0]);
    expect(history).toHaveLength(30);
  });

  it('says plainly when there are more workers than partitions', async () => {
    await report(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    const { notes, partitions } = shard.parse((await ask('GET')).json());
    expect(partitions.actual).toBeNull();
    expect(notes).toContain('8 workers, 6 partitions: 2 have nothing to do; raise partitions');
  });

  it('tells of the breaker that all workers share, whether any of them is alive or not', async () => {
    const guards = createMemoryEndpointGuards({ database: deps.database, owner: 'gone' });
    const shardOf = { actionType: 'award-reward', country: 'SG' };
    const broken = { shard: shardOf, cause: '503 Service Unavailable', retryAfterMs: null, random: 0 };
    await guards.open(broken);
    const down = shard.parse((await ask('GET')).json());
    expect(down.breaker).toBe('open');
    expect(down.endpoint).toMatchObject({ cause: '503 Service Unavailable', since: '2026-01-01T00:00:00.000Z' });
    expect(down.endpoint?.nextTryAt).not.toBeNull();
    expect(down.notes).toContain('its endpoint counts as down since 2026-01-01T00:00:00.000Z: 503 Service Unavailable');
    deps.clock.advance(60_000);
    await guards.takeProbe(shardOf, 1000);
    await guards.endProbe({ ...broken, answered: true });
    expect(shard.parse((await ask('GET')).json()).breaker).toBe('slow-start');
    deps.clock.advance(600_000);
    expect(shard.parse((await ask('GET')).json())).toMatchObject({ breaker: 'closed', endpoint: null });
  });

  it('has its partitions raised, once, and never lowered', async () => {
    for (let time = 1; time <= 2; time++) {
      const raised = await ask('PATCH', { partitions: 12 });
      expect(shard.parse(raised.json()).partitions.wanted).toBe(12);
    }
    const lowered = await ask('PATCH', { partitions: 4 });
    expect(lowered.statusCode).toBe(422);
    expect(problem.parse(lowered.json()).errors).toMatchObject([
      { pointer: '/partitions', code: 'only-raised', detail: 'can only be raised: has to be at least 12, not 4' },
    ]);
  });

  it('is one of those that came to life', async () => {
    const other = await api.server.inject({ method: 'GET', url: '/v1/shards/award-reward.TH', headers: authorized });
    expect(other.statusCode).toBe(404);
  });
});

describe('the workers that an autoscaler should have', () => {
  it.each([
    ['nothing is ahead', [0, 10, 3, 6], 0],
    ['nothing moves yet', [100, 0, 3, 6], 3],
    ['nobody serves it', [100, 0, 0, 6], 1],
    ['it takes four minutes with two', [2400, 10, 2, 12], 8],
    ['more would have nothing to do', [24_000, 10, 2, 12], 12],
  ] as const)('where %s', (_what, [ahead, rate, workers, partitions], desired) => {
    expect(desiredWorkers(ahead, rate, workers, partitions)).toBe(desired);
  });
});
