import { describe, expect, it } from 'vitest';
import { createMemoryPartitionLeases } from '../../../test/support/memory/partition-leases.ts';
import { leaseMs, setUpOfferers } from '../../../test/support/offerer-subject.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { leaderLease } from './job-offerer.ts';

describe('the partitions of the schedulers', () => {
  it('all belong to a single scheduler, are shared with a second one, and return to the first when the second one stops', async () => {
    const { clock, started, stop, offererOf, offered, many } = setUpOfferers();
    const first = await started('a');
    expect(first.owned()).toHaveLength(64);
    const second = offererOf('b');
    second.start();
    await passTime(clock, 20_000);
    expect(first.owned().length + second.owned().length).toBe(64);
    expect(first.owned()).toHaveLength(32);
    await stop(second);
    await passTime(clock, 5000);
    expect(first.owned()).toHaveLength(64);
    await many(64);
    await passTime(clock, 100);
    expect(offered()).toHaveLength(64);
    await stop(first);
  });

  it('go to another scheduler only after the lease of their killed owner has ended', async () => {
    const { clock, started, offererOf, stop } = setUpOfferers();
    const first = await started('a');
    const second = offererOf('b');
    second.start();
    await passTime(clock, 20_000);
    // The first scheduler receives and renews nothing any more, but still believes that it owns its partitions.
    await first.stopIntake();
    expect(second.owned()).toHaveLength(32);
    await stop(first);
    await passTime(clock, leaseMs + 6000);
    expect(second.owned()).toHaveLength(64);
    await stop(second);
  });

  it('are free for others as soon as their owner stops its intake, before it finishes its work', async () => {
    const { clock, started, offererOf, stop } = setUpOfferers();
    const first = await started('a');
    const second = offererOf('b');
    second.start();
    await passTime(clock, 20_000);
    let isStopped = false;
    const stopping = first.stopIntake().then(() => {
      isStopped = true;
    });
    await passTime(clock, 100);
    await stopping;
    expect([isStopped, first.owned()]).toEqual([true, []]);
    await passTime(clock, leaseMs);
    expect(second.owned()).toHaveLength(64);
    await stop(first);
    await stop(second);
  });

  it('are released only after the messages of their owner have arrived', async () => {
    const { clock, started, bus, many, offered } = setUpOfferers();
    const arrival = Promise.withResolvers();
    const publisher = bus.publisher();
    const slow = {
      publish: async (messages: Parameters<typeof publisher.publish>[0]) => {
        await arrival.promise;
        await publisher.publish(messages);
      },
    };
    const offerer = await started('a', { publisher: slow });
    await many(3);
    await passTime(clock, 100);
    await offerer.stopIntake();
    let isFinished = false;
    const finishing = offerer.finishWork().then(() => {
      isFinished = true;
    });
    await passTime(clock, 100);
    expect([isFinished, offered()]).toEqual([false, []]);
    arrival.resolve(true);
    await passTime(clock, 1000);
    await finishing;
    expect(offered()).toHaveLength(3);
  });

  it('are given up at the end of their lease if the database does not answer', async () => {
    let isDown = false;
    const { clock, started, tables, stop } = setUpOfferers();
    const real = createMemoryPartitionLeases({ tables, leases: new Map(), leader: leaderLease });
    const offerer = await started('a', {
      partitions: {
        ...real,
        beat: (beat, released) => (isDown ? Promise.reject(new Error('down')) : real.beat(beat, released)),
        assign: (_leader, wanted) => {
          for (const [partition, node] of wanted) Object.assign(tables.partitions[partition] ?? {}, { wanted: node });
          return Promise.resolve();
        },
      },
    });
    expect(offerer.owned()).toHaveLength(64);
    isDown = true;
    await passTime(clock, leaseMs + 1);
    expect(offerer.owned()).toEqual([]);
    isDown = false;
    await stop(offerer);
  });
});
