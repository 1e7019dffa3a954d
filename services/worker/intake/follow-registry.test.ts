import { describe, expect, it } from 'vitest';
import { passTime, passTimeUntil, settled } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { Served } from './served-shards.ts';

/** Returns these shards, with action types that differ from those of the fixture by `changes`. */
function servedOf(shards: ReadonlyMap<string, Shard>, changes: object = {}): Served {
  const config = actionTypeConfig.parse({ url: 'http://endpoint', class: 'B', maxAttempts: 3, ...changes });
  return {
    shards: new Map(shards),
    topics: [...shards.keys()].map((topic) => ({ topic, partitions: 2, replicationFactor: 1 })),
    actionTypes: { 'award-reward': config, 'send-message': config },
    refusals: [],
  };
}

const oneStep = { chain: [{ action: 'award-reward', params: {} }] };
const users = (count: number) => Array.from({ length: count }, (_, index) => [`u${index}`]);

describe('a running worker', () => {
  it('serves a shard that is added to the registry, in addition to its earlier shards', async () => {
    const { worker, workerDeps, feed, topicOf, bus, clock } = await createRunningWorker();
    const topic = topicOf(1, 'TH');
    await bus.admin.ensureTopics([{ topic, partitions: 2, replicationFactor: 1 }]);
    const thai = await feed(users(3), { ...oneStep, countries: ['TH'] });
    await passTime(clock, 2000);
    expect(thai.totals()).toEqual([]);

    const shards = new Map([...workerDeps('a').shards, [topic, { actionType: 'award-reward', country: 'TH' }]]);
    worker.follow(servedOf(shards));

    await passTimeUntil(clock, () => thai.totals()[0]?.succeeded === 3);
    const old = await feed(users(3), oneStep);
    await passTimeUntil(clock, () => old.totals()[0]?.succeeded === 3);
  });

  it('applies a changed concurrency without a new subscription', async () => {
    let subscribed = 0;
    const { worker, workerDeps } = await createRunningWorker({}, ({ consumer }) => ({
      consumer: {
        ...consumer,
        crashed: consumer.crashed,
        subscribe: (topics) => {
          subscribed++;
          return consumer.subscribe(topics);
        },
      },
    }));
    const limitOf = () => worker.levels().find(({ shard }) => shard.country === 'SG')?.limit;
    const { shards } = workerDeps('a');
    worker.follow(servedOf(shards));
    await settled();
    expect(limitOf()).toBe(8);

    worker.follow(servedOf(shards, { concurrency: 3 }));
    await settled();

    expect(limitOf()).toBe(3);
    expect(subscribed).toBe(1);
  });

  it('applies a changed rate at once, also to steps that it has already claimed', async () => {
    const { worker, workerDeps, feed, clock, endpoint } = await createRunningWorker();
    const { shards } = workerDeps('a');
    const released = Promise.withResolvers<null>();
    const { answer } = endpoint;
    endpoint.answer = async (seen) => {
      await released.promise;
      return answer(seen);
    };
    const first = await feed(users(2), oneStep);
    await passTime(clock, 100);
    expect(endpoint.seen).toHaveLength(1);

    // Both steps are claimed. One is being called, the other waits for a slot.
    worker.follow(servedOf(shards, { ratePerSecond: { calls: 2 } }));
    await settled();
    released.resolve(null);
    await passTime(clock, 300);
    expect(endpoint.seen).toHaveLength(1);
    await passTime(clock, 400);
    expect(first.totals()[0]?.succeeded).toBe(2);

    worker.follow(servedOf(shards));
    const second = await feed(users(20), oneStep);
    await passTime(clock, 1000);
    expect(second.totals()[0]?.succeeded).toBe(20);
  });

  it('finishes the calls of a shard that is removed from the registry', async () => {
    const { worker, workerDeps, feed, clock, endpoint, topicOf } = await createRunningWorker();
    const { shards } = workerDeps('a');
    const answered = Promise.withResolvers<null>();
    const { answer } = endpoint;
    endpoint.answer = async (seen) => {
      await answered.promise;
      return answer(seen);
    };
    const { totals } = await feed(users(1), oneStep);
    await passTime(clock, 100);
    expect(endpoint.seen).toHaveLength(1);

    worker.follow(servedOf(new Map([...shards].filter(([topic]) => topic !== topicOf(1)))));
    await settled();
    answered.resolve(null);

    await passTimeUntil(clock, () => totals()[0]?.succeeded === 1);
  });
});
