import { describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerWithFailures } from '../../../test/support/worker-fixture.ts';

const batchesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    `u${String(index).padStart(4, '0')}a`,
    `u${String(index).padStart(4, '0')}b`,
  ]);

describe('the next step of a recorded step', () => {
  it('is called by the same worker for the survivors, without a message', async () => {
    const { clock, endpoint, feed, messages, stepRows } = await createRunningWorker();
    endpoint.answer = (seen) => answerWithFailures(seen, seen.call.step === 1 ? ['u2'] : []);
    const { totals } = await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 1000);
    expect(messages(2)).toEqual([]);
    expect(endpoint.seen.map(({ call }) => [call.step, call.users])).toEqual([
      [1, ['u1', 'u2', 'u3']],
      [2, ['u1', 'u3']],
    ]);
    expect(stepRows(2)).toMatchObject([{ state: 'done', owner: 'a', epoch: 1 }]);
    expect(totals()).toMatchObject([
      { succeeded: 2, failed: 1 },
      { succeeded: 2, failed: 0 },
    ]);
  });

  it('leaves no unhandled message of the recorded step behind', async () => {
    const { clock, bus, feed, topicOf } = await createRunningWorker();
    await feed([['u1']]);
    await passTime(clock, 1000);
    expect(await bus.backlogs('muster.worker').unhandled([topicOf(1)])).toEqual(new Map([[topicOf(1), 0]]));
  });

  it('is published to its topic if the worker does not serve its shard', async () => {
    const { clock, feed, messages, endpoint } = await createRunningWorker({}, ({ shards }) => ({
      shards: new Map([...shards].filter(([, { actionType }]) => actionType === 'award-reward')),
    }));
    await feed([['u1']]);
    await passTime(clock, 1000);
    expect(messages(2)).toMatchObject([{ batchNos: [1], remaining: [1] }]);
    expect(endpoint.seen).toHaveLength(1);
  });

  it('is published to its topic if its shard has no free slots', async () => {
    const { clock, feed, messages, endpoint, stepRows } = await createRunningWorker({ type: { concurrency: 4 } });
    const { answer } = endpoint;
    endpoint.answer = (seen) => (seen.call.step === 2 ? new Promise(() => undefined) : answer(seen));
    await feed(batchesOf(40));
    await passTime(clock, 3000);
    expect(stepRows(1).filter(({ state }) => state === 'done')).toHaveLength(40);
    expect(endpoint.seen.filter(({ call }) => call.step === 2).length).toBeLessThanOrEqual(4);
    const claimed = stepRows(2).length;
    expect(claimed).toBeLessThan(15);
    expect(messages(2).flatMap(({ batchNos }) => batchNos).length).toBeGreaterThanOrEqual(40 - claimed);
  });

  it('is published to its topic if other steps wait for the slots of its shard', async () => {
    const { clock, feed, messages, endpoint } = await createRunningWorker({ type: { concurrency: 2 } });
    const { answer } = endpoint;
    let isHeld = true;
    const held: (() => void)[] = [];
    endpoint.answer = async (seen) => {
      if (isHeld && seen.call.step === 2) await new Promise<void>((resolve) => held.push(resolve));
      return answer(seen);
    };
    const early = await feed(batchesOf(60));
    await passTime(clock, 3000);
    const waiting = messages(2).length;
    expect(waiting).toBeGreaterThan(0);
    const late = await feed([['late']]);
    await passTime(clock, 1000);
    expect(messages(2).length).toBe(waiting + 1);
    isHeld = false;
    for (const release of held) release();
    await passTime(clock, 5000);
    expect(early.totals()[1]).toMatchObject({ succeeded: 120 });
    expect(late.totals()[1]).toMatchObject({ succeeded: 1 });
  });

  it('stays with the worker even if calls of the first and of the second step are slow in turns', async () => {
    const { clock, feed, messages, endpoint } = await createRunningWorker({ type: { concurrency: 16 } });
    const { answer } = endpoint;
    const beganMs = clock.monotonicMs();
    // Every 100 ms, the other one of the two steps has the slow calls.
    endpoint.answer = async (seen) => {
      const gust = (Math.floor((clock.monotonicMs() - beganMs) / 100) + seen.call.step) % 2;
      await clock.sleep(10 + 5 * gust);
      return answer(seen);
    };
    const { totals } = await feed(batchesOf(400));
    await passTime(clock, 20_000);
    expect(totals()[1]).toMatchObject({ succeeded: 800 });
    // The number here is 18 of 400, and 0 to 23 if the turns begin at other times. Without `flushesMore`, it would be
    // 151.
    expect(messages(2).flatMap(({ batchNos }) => batchNos).length).toBeLessThan(25);
  });

  it('is published to its topic if its run has a budget', async () => {
    const { clock, feed, messages } = await createRunningWorker();
    const { totals } = await feed([['u1']], {
      budgets: [{ country: 'SG', units: 10 }],
      chain: [
        { action: 'award-reward', params: {}, unitsPerUser: 1 },
        { action: 'send-message', params: {}, unitsPerUser: 1 },
      ],
    });
    await passTime(clock, 1000);
    expect(messages(2)).toHaveLength(1);
    expect(totals()).toMatchObject([{ succeeded: 1 }, { succeeded: 1 }]);
  });
});
