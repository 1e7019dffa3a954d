import { describe, expect, it } from 'vitest';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { createRunningWorker, stopWorker } from '../../../test/support/running-worker.ts';
import { answerOf, withoutHandOn, type SeenCall } from '../../../test/support/worker-fixture.ts';
import type { BatchAnswer } from '../endpoint/batch-endpoint.port.ts';

const oneStep = { chain: [{ action: 'award-reward', params: {} }] };

function succeeded({ call }: SeenCall): BatchAnswer {
  return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
}

function batchesOf(name: string, count: number): string[][] {
  return Array.from({ length: count }, (_, batch) => [`${name}${batch}`]);
}

describe('a worker with slow or broken endpoints and topics', () => {
  /**
   * Returns the time that 200 quick calls take while 400 calls of 9 s are made elsewhere; without such calls if `slow`
   * is null.
   */
  async function timeWithSlow(slow: { countries: string[] } | null): Promise<number> {
    const { clock, endpoint, feed } = await createRunningWorker();
    endpoint.answer = async (seen) => {
      await clock.sleep(seen.call.users[0]?.startsWith('slow') ? 9000 : 20);
      return succeeded(seen);
    };
    const beginMs = clock.nowMs();
    if (slow) await feed(batchesOf('slow', 400), { ...oneStep, ...slow });
    const { totals } = await feed(batchesOf('quick', 200), oneStep);
    await passTimeUntil(clock, () => totals()[0]?.succeeded === 200);
    return clock.nowMs() - beginMs;
  }

  it.each([
    ['another country', ['ID']],
    ['another feed of the same shard', ['SG']],
  ])(
    'makes 200 calls of 20 ms beside 400 calls of 9 s in %s as fast as without them, within 20 %%',
    async (_where, countries) => {
      const alone = await timeWithSlow(null);
      expect(await timeWithSlow({ countries })).toBeLessThan(1.2 * alone);
    },
  );
});

describe('a topic that cannot be written', () => {
  /** Creates a worker whose second topic in Indonesia cannot be written: publishing to it fails or hangs. */
  async function withDeadTopic(publishToDead: () => Promise<void>) {
    const published: string[] = [];
    const settled: number[] = [];
    const running = await createRunningWorker({}, ({ publisher, consumer, topics, ledger }) => ({
      ledger: withoutHandOn(ledger),
      publisher: {
        publish: (messages) => {
          const isDead = messages.some(
            ({ topic }) => topic === topics.shard({ actionType: 'send-message', country: 'ID' }),
          );
          published.push(...messages.map(({ topic }) => topic));
          return isDead ? publishToDead() : publisher.publish(messages);
        },
      },
      consumer: {
        ...consumer,
        crashed: consumer.crashed,
        settle: (message) => {
          settled.push(message.offset);
          consumer.settle(message);
        },
      },
    }));
    return { ...running, published, settled };
  }

  it.each<[string, () => Promise<void>]>([
    ['fails', () => Promise.reject(new Error('not a leader'))],
    ['hangs', () => new Promise(() => undefined)],
  ])(
    'delays no other topic if publishing to it %s, and its messages are left to the sweeper',
    async (_how, publishToDead) => {
      const { clock, feed, published, settled, topicOf, stepRows } = await withDeadTopic(publishToDead);
      await feed([['a1']], { countries: ['ID'] });
      const healthy = await feed([['b1']]);
      await passTime(clock, 500);
      expect(healthy.totals()).toMatchObject([{ succeeded: 1 }, { succeeded: 1 }]);
      // The two messages of the healthy run are settled, and the message of the other run is not.
      expect(settled).toHaveLength(2);
      await passTime(clock, 600_000);
      expect(settled).toHaveLength(3);
      expect(stepRows(1)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
      expect(published.filter((topic) => topic === topicOf(2))).toHaveLength(1);
      expect(published.filter((topic) => topic === topicOf(2, 'ID')).length).toBeLessThan(12);
    },
  );

  it('does not prevent the worker from stopping', async () => {
    const { clock, feed, worker } = await withDeadTopic(() => Promise.reject(new Error('not a leader')));
    await feed([['a1']], { countries: ['ID'] });
    await passTime(clock, 200);
    await stopWorker(worker);
    expect(worker.ready()).toBe(false);
  });
});

describe('an endpoint that is down', () => {
  it('is called seldom, without using up attempts, and its run continues soon after the endpoint recovers', async () => {
    const { clock, endpoint, feed, sweepOverdue, stepRows, failures } = await createRunningWorker();
    endpoint.answer = () => ({ kind: 'not-applied', cause: 'connection refused' });
    const { runId, totals } = await feed(batchesOf('u', 200), { ...oneStep, deadlineSeconds: 86_400 });
    for (let round = 0; round < 60; round++) {
      await passTime(clock, 10_000);
      await sweepOverdue(runId);
    }
    expect(endpoint.seen.length).toBeLessThan(60);
    expect(stepRows(1).every(({ attempts, open }) => attempts === 0 && !open)).toBe(true);
    expect(stepRows(1).every(({ cause }) => cause === 'connection refused')).toBe(true);
    endpoint.answer = succeeded;
    for (let round = 0; round < 60; round++) {
      await passTime(clock, 10_000);
      await sweepOverdue(runId);
    }
    expect(failures()).toEqual([]);
    expect(totals()).toMatchObject([{ succeeded: 200 }]);
  });

  it('in one country does not delay calls in another country', async () => {
    const { clock, endpoint, feed } = await createRunningWorker();
    endpoint.answer = (seen) =>
      seen.country === 'ID' ? { kind: 'not-applied', cause: 'connection refused' } : succeeded(seen);
    await feed(batchesOf('down', 200), { ...oneStep, countries: ['ID'] });
    const { totals } = await feed(batchesOf('up', 100), oneStep);
    await passTime(clock, 2000);
    expect(totals()).toMatchObject([{ succeeded: 100 }]);
  });
});

describe('a step whose lease would end before its call', () => {
  it('is released without a call', async () => {
    // A claim lasts 30 s, and a call may take 29 s. A claim that first waits 20 s for another call is therefore too
    // late.
    const { clock, endpoint, feed, stepRows } = await createRunningWorker({
      type: { timeoutMs: 29_000, concurrency: 1 },
    });
    endpoint.answer = async (seen) => {
      await clock.sleep(20_000);
      return succeeded(seen);
    };
    await feed(batchesOf('u', 2), oneStep);
    await passTime(clock, 21_000);
    expect(endpoint.seen).toHaveLength(1);
    expect(stepRows(1)).toMatchObject([{ state: 'done' }, { state: 'waiting', attempts: 0, open: false }]);
  });
});
