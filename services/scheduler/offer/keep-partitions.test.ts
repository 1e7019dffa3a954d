import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createMemoryChangeFeed } from '../../../test/support/memory/change-feed.ts';
import { passTime, settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createPartitionKeeper } from './keep-partitions.ts';

/** Creates the leader of the schedulers. Counts its reads of the live nodes, and records its assignments. */
function leader() {
  const [clock, changes] = [createSettableClock(), createMemoryChangeFeed()];
  const alive = new Set(['a']);
  const meantFor = new Set<string>();
  let scans = 0;
  const keeper = createPartitionKeeper({
    leases: {
      beat: () => Promise.resolve([]),
      leave: () => Promise.resolve(),
      assignment: () => {
        scans++;
        const partitions = Array.from({ length: 64 }, () => ({ wanted: 'a', owner: 'a' }));
        return Promise.resolve({ schedulers: [...alive], partitions });
      },
      assign: (_lease, wanted) => {
        for (const owner of wanted.values()) meantFor.add(owner);
        return Promise.resolve();
      },
    },
    owner: 'a',
    region: 'local',
    ttlMs: 9000,
    leads: () => ({ name: 'leader', owner: 'a', token: 1 }),
    figures: () => ({}),
    onChanged: () => undefined,
    changes,
    clock,
    logger: pino({ level: 'silent' }),
  });
  keeper.start();
  const scansWithin = async (ms: number) => {
    scans = 0;
    await passTime(clock, ms);
    return scans;
  };
  return { clock, changes, alive, meantFor, keeper, scansWithin };
}

describe('the leader of the schedulers', () => {
  it('reads the live nodes every five seconds while it is alone, and every second otherwise', async () => {
    const { alive, keeper, scansWithin } = leader();
    await scansWithin(1000);
    expect(await scansWithin(20_000)).toBe(4);
    alive.add('b');
    await scansWithin(5000);
    expect(await scansWithin(20_000)).toBe(20);
    await keeper.stop();
  });

  it('assigns partitions to a new node at once after a notification, and within five seconds without a notification', async () => {
    const { clock, changes, alive, meantFor, keeper } = leader();
    await passTime(clock, 10_500);
    alive.add('b');
    changes.announce('nodes');
    await settled();
    expect([...meantFor]).toContain('b');
    meantFor.clear();
    alive.delete('b');
    await passTime(clock, 10_000);
    alive.add('c');
    await passTime(clock, 5000);
    expect([...meantFor]).toContain('c');
    await keeper.stop();
  });

  it('reads the live nodes every second while notifications are not received', async () => {
    const { changes, keeper, scansWithin } = leader();
    changes.lose();
    await scansWithin(1000);
    expect(await scansWithin(20_000)).toBe(20);
    await keeper.stop();
  });
});
