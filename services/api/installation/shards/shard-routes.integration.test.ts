import { describe, expect, it } from 'vitest';
import { campaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createEndpointGuards } from '../../../../shared/postgres/registry/endpoint-guards.ts';
import { problem } from '../../frame/problems.contract.ts';
import { shard } from './shards.contract.ts';
import { desiredWorkers } from './shard-view.ts';

const on = apiOnPostgres();

const url = '/v1/shards/award-reward.SG';
const topic = 'muster.award-reward.SG';

const ask = (method: 'GET' | 'PATCH', payload?: object) =>
  on.api.server.inject({ method, url, headers: authorized, ...(payload && { payload }) });

/** Stores a report about the shard by each of these workers. */
const report = (workers: readonly string[], refusal: string | null = null) =>
  on.pool.query(
    `insert into shard_reports (worker, action_type, country, in_flight, call_limit, waiting, breaker_open,
       batches_per_second, refusal)
     select worker, 'award-reward', 'SG', 3, 8, 0, false, 2.5, $2 from unnest($1::text[]) as workers (worker)`,
    [workers, refusal],
  );

async function addRun(settings: object) {
  const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign));
  const scheduledFor = new Date('2025-12-31T23:00:00Z');
  return on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor, state: 'running', settings });
}

const lagNow = async () => shard.parse((await ask('GET')).json()).lag;

describe('a shard', () => {
  it('shows the worker, the messages and the calls of each of its partitions', async () => {
    await report(['a', 'b']);
    on.deps.group.traffic.set(topic, [
      { partition: 0, unhandled: 4, member: 'a' },
      { partition: 1, unhandled: 3, member: 'b' },
    ]);
    await ask('PATCH', { partitions: 6 });

    const answer = shard.parse((await ask('GET')).json());

    expect(answer).toMatchObject({ topic, partitions: { wanted: 6, actual: 2 }, inFlight: 6, callLimit: 16 });
    expect(answer).toMatchObject({ batchesPerSecond: 5, breaker: 'closed', lag: { messages: 7, aheadSeconds: 0 } });
    expect(answer.workers).toEqual([
      { worker: 'a', partitions: [0] },
      { worker: 'b', partitions: [1] },
    ]);
    expect(answer.lanes).toEqual([
      { partition: 0, worker: 'a', messages: 4 },
      { partition: 1, worker: 'b', messages: 3 },
    ]);
    expect(answer.notes).toEqual(['Kafka has 2 of 6 partitions so far']);
  });

  it('counts ready work as lag, but not the work that a run’s pace delays', async () => {
    await report(['a', 'b']);
    const paced = await addRun({ paceUsersPerSecond: 100 });
    await on.deps.rows.addFeed(paced, { country: 'SG', estimate: 100_000, fedUsers: 2000, fedBatches: 20 });
    expect(await lagNow()).toMatchObject({ batches: 20, seconds: 4, aheadBatches: 20, aheadSeconds: 4 });
    expect((await lagNow()).pacedBatches).toBeGreaterThan(0);
    const free = await addRun({ paceUsersPerSecond: null });
    await on.deps.rows.addFeed(free, { country: 'SG', estimate: 3000, fedUsers: 2000, fedBatches: 20 });
    await on.passTime(2000);
    const { pacedBatches, ...lag } = await lagNow();
    expect(lag).toMatchObject({ batches: 40, seconds: 8 });
    expect(lag.aheadBatches).toBeGreaterThan(40);
    expect(pacedBatches).toBeGreaterThan(lag.aheadBatches);
  });

  it('has the history of its lag, with the time of each reading', async () => {
    await ask('GET');
    await on.passTime(60_000);
    const { history } = shard.parse((await ask('GET')).json()).lag;
    expect(history.slice(-3)).toEqual([0, null, 0]);
    expect(history).toHaveLength(30);
  });

  it('shows the reason why no worker serves it', async () => {
    const cause = 'its calls may take 10000 ms, and leases there are 5000 ms';
    await report(['a', 'b'], cause);
    const { notes, workers } = shard.parse((await ask('GET')).json());
    expect(workers).toEqual([]);
    expect(notes).toEqual(expect.arrayContaining(['no worker serves it', `2 workers cannot serve it: ${cause}`]));
    await report(['c']);
    await on.passTime(2000);
    const served = shard.parse((await ask('GET')).json());
    expect(served.workers).toEqual([{ worker: 'c', partitions: [] }]);
    expect(served.notes.join()).not.toContain(cause);
  });

  it('notes if there are more workers than partitions', async () => {
    await report(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    const { notes, partitions } = shard.parse((await ask('GET')).json());
    expect(partitions.actual).toBeNull();
    expect(notes).toContain('8 workers, 2 partitions: 6 have nothing to do; raise partitions');
  });

  it('shows the circuit breaker that all workers share, even if no worker is running', async () => {
    const guards = createEndpointGuards({ pool: on.pool, owner: 'gone' });
    const shardOf = { actionType: 'award-reward', country: 'SG' };
    const broken = { shard: shardOf, cause: '503 Service Unavailable', retryAfterMs: null, random: 0 };
    await guards.open(broken);
    const down = shard.parse((await ask('GET')).json());
    expect(down.breaker).toBe('open');
    expect(down.endpoint).toMatchObject({ cause: '503 Service Unavailable', since: '2026-01-01T00:00:00.000Z' });
    expect(down.endpoint?.nextTryAt).not.toBeNull();
    expect(down.notes).toContain('its endpoint counts as down since 2026-01-01T00:00:00.000Z: 503 Service Unavailable');
    await on.passTime(60_000);
    await guards.takeProbe(shardOf, 1000);
    await guards.endProbe({ ...broken, answered: true });
    expect(shard.parse((await ask('GET')).json()).breaker).toBe('slow-start');
    await on.passTime(600_000);
    expect(shard.parse((await ask('GET')).json())).toMatchObject({ breaker: 'closed', endpoint: null });
  });

  it('allows increasing the number of its partitions, once, and no decrease', async () => {
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

  it('is listed with the other existing shards', async () => {
    const other = await on.api.server.inject({ method: 'GET', url: '/v1/shards/award-reward.TH', headers: authorized });
    expect(other.statusCode).toBe(404);
  });
});

describe('the number of workers for an autoscaler', () => {
  it.each([
    ['nothing is ahead', [0, 10, 3, 6], 0],
    ['nothing moves yet', [100, 0, 3, 6], 3],
    ['no worker serves it', [100, 0, 0, 6], 1],
    ['it takes four minutes with two', [2400, 10, 2, 12], 8],
    ['more would have nothing to do', [24_000, 10, 2, 12], 12],
  ] as const)('is computed if %s', (_what, [ahead, rate, workers, partitions], desired) => {
    expect(desiredWorkers(ahead, rate, workers, partitions)).toBe(desired);
  });
});
