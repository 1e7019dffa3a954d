import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Leases } from '../ports/leases.ts';
import { createMemoryDatabase } from '../../test/support/memory/memory-database.ts';
import { createMemoryLeases } from '../../test/support/memory/leases.ts';
import { passTime } from '../../test/support/pass-time.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createLeaseKeeper, type LeaseKeeperDeps } from './lease-keeper.ts';

const ttlMs = 9000;

function setUp() {
  const clock = createSettableClock();
  const leases = createMemoryLeases({ database: createMemoryDatabase(clock) });
  const acquired: string[] = [];
  const keeperOf = (owner: string, store: LeaseKeeperDeps['leases'] = leases) =>
    createLeaseKeeper({
      leases: store,
      name: 'scheduler',
      owner,
      ttlMs,
      clock,
      logger: pino({ level: 'silent' }),
      acquired: () => acquired.push(owner),
    });
  return { clock, leases, keeperOf, acquired };
}

/** A store that stops answering when the test says so. */
function breakable(leases: Leases): LeaseKeeperDeps['leases'] & { isDown: boolean } {
  const store = {
    isDown: false,
    acquire: (...args: Parameters<Leases['acquire']>) =>
      store.isDown ? Promise.reject(new Error('database down')) : leases.acquire(...args),
    renew: (...args: Parameters<Leases['renew']>) =>
      store.isDown ? Promise.reject(new Error('database down')) : leases.renew(...args),
    release: leases.release.bind(leases),
  };
  return store;
}

describe('a lease keeper', () => {
  it('keeps the lease as long as it runs', async () => {
    const { clock, keeperOf, acquired } = setUp();
    const keeper = keeperOf('a');
    keeper.start();
    await passTime(clock, 10 * ttlMs);
    expect(keeper.held()).toMatchObject({ owner: 'a', token: 1 });
    expect(acquired).toEqual(['a']);
    await keeper.stop();
  });

  it('waits while another owner holds the lease, and takes over within a third of its time after release', async () => {
    const { clock, keeperOf } = setUp();
    const [first, second] = [keeperOf('a'), keeperOf('b')];
    first.start();
    await passTime(clock, 100);
    second.start();
    await passTime(clock, ttlMs);
    expect(second.held()).toBeNull();
    await first.stop();
    await passTime(clock, ttlMs / 3);
    expect(second.held()).toMatchObject({ owner: 'b', token: 2 });
    await second.stop();
  });

  it('stops relying on a lease that it cannot renew, before another owner can acquire that lease', async () => {
    const { clock, leases, keeperOf } = setUp();
    const store = breakable(leases);
    const keeper = keeperOf('a', store);
    keeper.start();
    await passTime(clock, 10);
    store.isDown = true;
    await passTime(clock, ttlMs - 11);
    expect(keeper.held()).not.toBeNull();
    expect(await leases.acquire('scheduler', 'b', ttlMs)).toBeNull();
    await passTime(clock, 1);
    expect(keeper.held()).toBeNull();
    await keeper.stop();
  });

  it('notices at once after doubt() that the lease has another owner', async () => {
    const { clock, leases, keeperOf } = setUp();
    const keeper = keeperOf('a');
    keeper.start();
    await passTime(clock, 10);
    const held = keeper.held();
    if (held) await leases.release(held);
    await leases.acquire('scheduler', 'b', ttlMs);
    keeper.doubt();
    await passTime(clock, 0);
    expect(keeper.held()).toBeNull();
    await keeper.stop();
  });

  it('can be stopped before its start, and twice', async () => {
    const { keeperOf } = setUp();
    const keeper = keeperOf('a');
    await keeper.stop();
    await keeper.stop();
    expect(keeper.held()).toBeNull();
  });
});
