import { describe, expect, it } from 'vitest';
import { createMemoryPartitionLeases } from '../../../test/support/memory/partition-leases.ts';
import { leaseMs, setUpOfferers } from '../../../test/support/offerer-subject.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { leaderLease } from './job-offerer.ts';

describe('partitions among schedulers', () => {
  it('all belong to the only one, are shared with the second, and go back when that ends in order', async () => {
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

  it('go to another when their owner dies without a word, after its lease and not before', async () => {
    const { clock, started, offererOf, stop } = setUpOfferers();
    const first = await started('a');
    const second = offererOf('b');
    second.start();
    await passTime(clock, 20_000);
    // It hears nothing and renews nothing any more, but believes to own what it had.
    await first.stopIntake();
    expect(second.owned()).toHaveLength(32);
    await stop(first);
    await passTime(clock, leaseMs + 6000);
    expect(second.owned()).toHaveLength(64);
    await stop(second);
  });

  it('are looked at no longer than their lease can last, when the database does not answer', async () => {
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
