import { nothingUnstarted, withoutHandOn } from '../../../test/support/worker-fixture.ts';
import { describe, expect, it } from 'vitest';
import { passTime, settled } from '../../../test/support/pass-time.ts';
import { createRunningWorker, stopWorker } from '../../../test/support/running-worker.ts';

describe('a message of a shard', () => {
  it('is served once if it is delivered twice', async () => {
    const { clock, endpoint, feed, publish } = await createRunningWorker();
    const { feedId: id } = await feed([['u1'], ['u2']]);
    await publish({ feedId: id, step: 1, batchNos: [1, 2], remaining: [1, 1] });
    await passTime(clock, 1000);
    await publish({ feedId: id, step: 1, batchNos: [2, 1], remaining: [1, 1] });
    await passTime(clock, 1000);
    expect(endpoint.seen.filter(({ call }) => call.step === 1)).toHaveLength(2);
  });

  it('is quarantined with its bytes if it is not valid, and later messages are served', async () => {
    const { clock, endpoint, feed, publisher, topicOf, database } = await createRunningWorker();
    await publisher.publish(['garbage', '{}'].map((value) => ({ topic: topicOf(1), value })));
    await feed([['u1']]);
    await passTime(clock, 1000);
    expect([...database.deadLetters.values()].map(({ value }) => value?.toString())).toEqual(['garbage', '{}']);
    expect([...database.deadLetters.values()].map(({ reason }) => reason)).toEqual([
      'not a reference to steps of batches: not JSON',
      expect.stringMatching(/^not a reference to steps of batches: feedId: .*\(found nothing\)$/),
    ]);
    expect(endpoint.seen).toHaveLength(2);
  });

  it('is quarantined if its step does not exist, or belongs to another shard', async () => {
    const { clock, endpoint, feed, publish, publisher, topicOf, database } = await createRunningWorker();
    const { feedId: id } = await feed([['u1'], ['u2']], { chain: [{ action: 'award-reward', params: {} }] });
    await publisher.publish([
      { topic: topicOf(2), value: JSON.stringify({ feedId: id, step: 1, batchNos: [1, 2], remaining: [1, 1] }) },
    ]);
    await publish({ feedId: id, step: 2, batchNos: [1], remaining: [1] });
    await passTime(clock, 1000);
    expect([...database.deadLetters.values()].map(({ reason }) => reason)).toEqual([
      'its step belongs to another shard',
      'its feed has no such step',
    ]);
    expect(endpoint.seen.every(({ call }) => call.step === 1)).toBe(true);
  });

  it('is delivered to the next worker if the next steps could not be published before the worker stopped', async () => {
    const { clock, endpoint, feed, worker, workerDeps, messages } = await createRunningWorker({}, ({ ledger }) => ({
      ledger: withoutHandOn(ledger),
      publisher: { publish: () => Promise.reject(new Error('no broker')) },
      unstarted: nothingUnstarted,
    }));
    const { totals } = await feed([['u1']]);
    await passTime(clock, 1000);
    expect(messages(2)).toEqual([]);
    await stopWorker(worker);
    const delivered: number[] = [];
    await workerDeps('b').consumer.start({
      deliver: (_lane, records) => void delivered.push(...records.map(({ offset }) => offset)),
      revoke: () => undefined,
      isCrowded: () => false,
    });
    await settled();
    expect(delivered).toEqual([0]);
    expect(endpoint.seen).toHaveLength(1);
    expect(totals()).toMatchObject([{ step: 1, succeeded: 1 }]);
  });

  it('counts as handled when its next steps are published, even after failed attempts', async () => {
    const { clock, bus, feed, endpoint, messages } = await createRunningWorker({}, ({ ledger }) => ({
      ledger: withoutHandOn(ledger),
    }));
    bus.failNextPublish('before');
    await feed([['u1']]).catch(() => undefined);
    const { totals } = await feed([['u2']]);
    bus.failNextPublish('before');
    await passTime(clock, 5000);
    expect(messages(2)).toHaveLength(1);
    expect(endpoint.seen).toHaveLength(2);
    expect(totals()).toMatchObject([{ succeeded: 1 }, { succeeded: 1 }]);
  });
});
