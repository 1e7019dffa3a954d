import { describe, expect, it } from 'vitest';
import { createMemoryDatabase } from '../../../test/support/memory/memory-database.ts';
import { createMemoryLeases } from '../../../test/support/memory/leases.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createSlotLeases, type SlotLeasesDeps, type SlotUser } from './slot-leases.ts';

const client = 'shop';
const nothing: SlotUser = { length: 0, claiming: 0, claimed: [], inFlight: 0 };
const queued = { ...nothing, length: 1 };
const calling = { ...nothing, inFlight: 1 };

/** Returns two dispatchers that take turns with the slots of clients. */
function setUp() {
  const clock = createSettableClock();
  const store = createMemoryLeases({ database: createMemoryDatabase(clock) });
  function dispatcher(owner: string, overrides: Partial<SlotLeasesDeps['leases']> = {}) {
    const users = new Map<string, SlotUser>();
    let gains = 0;
    const onGained = () => void gains++;
    const leases = { ...store, ...overrides };
    const slots = createSlotLeases({ leases, owner, userOf: (clientId) => users.get(clientId), onGained, clock });
    /** Makes one turn for these clients, with at most `most` slots for each, and these jobs. */
    async function turn(user: SlotUser, { most = 1, clientIds = [client] } = {}): Promise<void> {
      for (const clientId of clientIds) users.set(clientId, user);
      await slots.keep(() => most, clientIds);
    }
    return { ...slots, turn, gains: () => gains };
  }
  return { clock, store, dispatcher, ours: dispatcher('a'), others: dispatcher('b') };
}

describe('the lease of a call slot', () => {
  it('is kept while its claim is written and its call is in flight, and is released afterwards', async () => {
    const { clock, ours, others } = setUp();
    await ours.turn(queued);
    expect([ours.of(client), ours.gains()]).toEqual([1, 1]);
    for (const user of [{ ...nothing, claiming: 1 }, calling]) {
      clock.advance(4000);
      await ours.turn(user);
      await others.turn(queued);
      expect([ours.of(client), others.of(client)]).toEqual([1, 0]);
    }
    await ours.turn(nothing);
    await others.turn(queued);
    expect([ours.of(client), others.of(client)]).toEqual([0, 1]);
  });

  it('belongs to a turn that begins with the first slot and is not extended by later claims', async () => {
    const { clock, ours } = setUp();
    await ours.turn(queued);
    clock.advance(600);
    await ours.turn(queued);
    expect(ours.isClosed(client)).toBe(false);
    clock.advance(400);
    await ours.turn(queued);
    expect([ours.of(client), ours.isClosed(client)]).toEqual([0, true]);
  });

  it('is left to other dispatchers for 250 ms after a turn', async () => {
    const { clock, ours } = setUp();
    await ours.turn(queued);
    clock.advance(1000);
    await ours.turn(queued);
    clock.advance(249);
    await ours.turn(queued);
    expect(ours.of(client)).toBe(0);
    clock.advance(1);
    await ours.turn(queued);
    expect(ours.of(client)).toBe(1);
  });

  it('is not acquired for the remaining jobs of a turn that is over', async () => {
    const { clock, ours } = setUp();
    await ours.turn(queued, { most: 3 });
    clock.advance(1000);
    await ours.turn({ ...queued, length: 5, inFlight: 1 }, { most: 3 });
    expect(ours.of(client)).toBe(1);
  });

  it('allows claims for one second after it was acquired, however long that took', async () => {
    const { clock, store, dispatcher } = setUp();
    const slow = dispatcher('a', {
      acquireSome: async (...args) => {
        const held = await store.acquireSome(...args);
        clock.advance(3000);
        return held;
      },
    });
    await slow.turn(queued);
    await slow.turn(queued);
    expect(slow.isClosed(client)).toBe(false);
    clock.advance(1000);
    await slow.turn({ ...queued, inFlight: 1 });
    expect([slow.of(client), slow.isClosed(client)]).toEqual([1, true]);
  });

  it('is acquired and renewed for 100 clients by a single statement, and released by a single one', async () => {
    const { clock, store, dispatcher } = setUp();
    const statements = { acquireSome: 0, releaseAll: 0 };
    const ours = dispatcher('a', {
      acquireSome: (...args) => (statements.acquireSome++, store.acquireSome(...args)),
      releaseAll: (...args) => (statements.releaseAll++, store.releaseAll(...args)),
    });
    const clientIds = Array.from({ length: 100 }, (_, nth) => `shop-${nth}`);
    await ours.turn(queued, { clientIds });
    clock.advance(5000);
    await ours.turn(calling, { clientIds });
    clock.advance(5000);
    expect(clientIds.filter((clientId) => ours.of(clientId) !== 1)).toEqual([]);
    expect(statements).toEqual({ acquireSome: 2, releaseAll: 0 });
    await ours.turn(nothing, { clientIds });
    expect([ours.clients(), statements.releaseAll]).toEqual([[], 1]);
  });

  it('is closed for claims before it is released', async () => {
    const { store, dispatcher } = setUp();
    const meanwhile: unknown[] = [];
    const ours = dispatcher('a', {
      releaseAll: async (held) => {
        meanwhile.push(ours.of(client), ours.isClosed(client));
        await store.releaseAll(held);
      },
    });
    await ours.turn(queued);
    await ours.turn(nothing);
    expect(meanwhile).toEqual([0, true]);
  });

  it('is acquired although leases of other slots cannot be released, and those are released later', async () => {
    const { store, dispatcher, others } = setUp();
    let isDown = true;
    const ours = dispatcher('a', {
      releaseAll: (held) => (isDown ? Promise.reject(new Error('no database')) : store.releaseAll(held)),
    });
    await ours.turn(queued);
    await expect(ours.turn(nothing)).rejects.toThrow('no database');
    await expect(ours.turn(queued, { clientIds: ['bakery'] })).rejects.toThrow('no database');
    expect([ours.of('bakery'), ours.gains()]).toEqual([1, 2]);
    isDown = false;
    await ours.turn(calling, { clientIds: ['bakery'] });
    await others.turn(queued);
    expect(others.of(client)).toBe(1);
  });

  it('is released although no slot can be requested, and expires if it cannot be renewed', async () => {
    const { clock, store, dispatcher, others } = setUp();
    let isDown = false;
    const ours = dispatcher('a', {
      acquireSome: (...args) => (isDown ? Promise.reject(new Error('no database')) : store.acquireSome(...args)),
    });
    await ours.turn(queued, { clientIds: [client, 'bakery'] });
    await ours.turn(calling, { clientIds: ['bakery'] });
    isDown = true;
    clock.advance(5000);
    await expect(ours.turn(nothing)).rejects.toThrow('no database');
    await others.turn(queued);
    expect([ours.of(client), others.of(client), ours.of('bakery')]).toEqual([0, 1, 1]);
    clock.advance(4000);
    expect(ours.of('bakery')).toBe(0);
  });

  it('is not acquired again while its delayed release may still arrive', async () => {
    const { clock, store, dispatcher } = setUp();
    const late: (() => Promise<void>)[] = [];
    let requests = 0;
    const ours = dispatcher('a', {
      acquireSome: (...args) => (requests++, store.acquireSome(...args)),
      releaseAll: (held) => {
        late.push(() => store.releaseAll(held));
        return Promise.reject(new Error('no answer'));
      },
    });
    await ours.turn(queued);
    await expect(ours.turn(nothing)).rejects.toThrow('no answer');
    await expect(ours.turn(queued)).rejects.toThrow('no answer');
    expect([ours.of(client), requests]).toEqual([0, 1]);
    clock.advance(10_000);
    await ours.turn(queued);
    for (const release of late) await release();
    const others = dispatcher('b');
    await others.turn(queued);
    expect([ours.of(client), others.of(client)]).toEqual([1, 0]);
  });
});
