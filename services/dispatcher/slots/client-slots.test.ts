import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { clientIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createMemoryDatabase } from '../../../test/support/memory/memory-database.ts';
import { createMemoryLeases } from '../../../test/support/memory/leases.ts';
import { createMemoryChangeFeed } from '../../../test/support/memory/change-feed.ts';
import { passTime, passTimeUntil, settled, wakeUpsWithin } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createClientSlots, type ClientSlots, type ClientSlotsDeps } from './client-slots.ts';
import type { SlotUser } from './slot-leases.ts';

const client = clientIdOf(1);
const concurrency = 10;
const nothing: SlotUser = { length: 0, claiming: 0, claimed: [], inFlight: 0 };
const calling: SlotUser = { ...nothing, inFlight: 1 };

/**
 * Returns functions that start dispatchers on one list of dispatchers, and that make a dispatcher unable to read the
 * list.
 */
function setUp() {
  const clock = createSettableClock();
  const leases = createMemoryLeases({ database: createMemoryDatabase(clock) });
  const listed = new Set<string>();
  const cannotRead = new Set<string>();
  const all: ClientSlots[] = [];
  const changes = createMemoryChangeFeed();
  let polls = 0;
  async function startOne(owner: string, { isListed = true } = {}): Promise<ClientSlots> {
    if (isListed) listed.add(owner);
    return await startOf(owner, { concurrencyOf: () => concurrency, queues: () => new Map<string, SlotUser>() });
  }
  /** Starts a dispatcher whose clients have one slot each. */
  async function startWith(owner: string, queues: ClientSlotsDeps['queues']): Promise<ClientSlots> {
    listed.add(owner);
    return await startOf(owner, { concurrencyOf: () => 1, queues });
  }
  async function startOf(
    owner: string,
    clients: Pick<ClientSlotsDeps, 'concurrencyOf' | 'queues'>,
  ): Promise<ClientSlots> {
    const dispatchers = () => {
      polls++;
      return cannotRead.has(owner) ? Promise.reject(new Error('no database')) : Promise.resolve([...listed].sort());
    };
    const slots = createClientSlots({
      nodes: { dispatchers },
      leases,
      owner,
      ...clients,
      onGained: () => undefined,
      changes,
      clock,
      logger: pino({ level: 'silent' }),
    });
    all.push(slots);
    await slots.start();
    return slots;
  }
  /** Returns the number of slots, over all dispatchers, that allow new claims. */
  const inUse = () => all.reduce((sum, slots) => sum + (slots.isClosed(client) ? 0 : slots.of(client)), 0);
  const pollsWithin = async (ms: number) => {
    polls = 0;
    await passTime(clock, ms);
    return polls;
  };
  return { clock, changes, leases, listed, cannotRead, startOne, startWith, inUse, pollsWithin };
}

describe('the call slots of a dispatcher', () => {
  it('are all slots of a client if the dispatcher is alone', async () => {
    const { startOne } = setUp();
    const only = await startOne('d1');
    expect(only.isSettled()).toBe(true);
    expect(only.of(client)).toBe(concurrency);
    expect(only.isClosed(client)).toBe(false);
  });

  it('are checked once a second if the dispatcher is alone, otherwise twice, without other wake-ups', async () => {
    const { clock, listed, startOne, pollsWithin } = setUp();
    await startOne('d1');
    expect(await pollsWithin(10_000)).toBe(10);
    expect(await wakeUpsWithin(clock, 10_000)).toBe(10);
    listed.add('d2');
    await passTime(clock, 1000);
    expect(await pollsWithin(10_000)).toBe(20);
  });

  it('are shared with a new dispatcher at once after a notification', async () => {
    const { changes, listed, startOne, inUse } = setUp();
    await startOne('d1');
    listed.add('d2');
    changes.announce('nodes');
    await settled();
    expect(inUse()).toBe(concurrency / 2);
  });

  it('are checked twice a second while notifications are not received', async () => {
    const { changes, startOne, pollsWithin } = setUp();
    changes.lose();
    await startOne('d1');
    expect(await pollsWithin(10_000)).toBe(20);
  });

  it('are none for a new dispatcher until the other one has certainly read its name, then its share', async () => {
    const { clock, startOne } = setUp();
    const first = await startOne('d1');
    const second = await startOne('d2');
    await passTime(clock, 2900);
    expect([first.of(client), second.of(client)]).toEqual([concurrency / 2, 0]);
    expect(second.isClosed(client)).toBe(true);
    await passTime(clock, 100);
    expect([first.of(client), second.of(client)]).toEqual([concurrency / 2, concurrency / 2]);
    expect(second.isClosed(client)).toBe(false);
  });

  it("never exceed the client's concurrency, even if the earlier dispatcher cannot read that there is a new one", async () => {
    const { clock, cannotRead, startOne, inUse } = setUp();
    const first = await startOne('d1');
    cannotRead.add('d1');
    await passTime(clock, 100);
    const second = await startOne('d2');
    for (let ms = 0; ms < 6000; ms += 50) {
      await passTime(clock, 50);
      expect(inUse()).toBeLessThanOrEqual(concurrency);
    }
    // The earlier dispatcher has read the list too long ago to make new claims. Jobs that it claimed before still
    // begin.
    expect([first.isClosed(client), first.of(client)]).toEqual([true, concurrency]);
    expect([second.isClosed(client), second.of(client)]).toEqual([false, concurrency / 2]);
    cannotRead.clear();
    await passTime(clock, 1000);
    expect([first.of(client), second.of(client)]).toEqual([concurrency / 2, concurrency / 2]);
    expect(first.isClosed(client)).toBe(false);
  });

  it('are requested for each client in turn if there are more dispatchers than slots, and 599 of 600 are taken', async () => {
    const { clock, leases, listed, startWith } = setUp();
    const clients = Array.from({ length: 600 }, (_, nth) => clientIdOf(nth));
    for (const clientId of clients.slice(0, 599)) await leases.acquire(`call-slot/${clientId}/0`, 'd1', 60_000);
    for (const other of ['d1', 'd3']) listed.add(other);
    const queue = { ...nothing, length: 1 };
    const slots = await startWith('d2', () => new Map(clients.map((clientId) => [clientId, queue])));
    await passTime(clock, 5000);
    expect(clients.map((clientId) => slots.of(clientId))).toEqual([...Array<number>(599).fill(0), 1]);
  });

  it('are kept for calls in flight while requests for 49 other slots take 300 ms each', async () => {
    const { clock, leases, listed, startWith } = setUp();
    const clients = Array.from({ length: 50 }, (_, nth) => clientIdOf(nth));
    const [calls = '', ...others] = clients;
    for (const clientId of others) await leases.acquire(`call-slot/${clientId}/0`, 'd1', 1e9);
    const tried = new Set<string>();
    const plain = { ...leases };
    leases.acquireSome = async (wanted, owner, ttlMs) => {
      await clock.sleep(300);
      for (const name of wanted.flatMap(({ names }) => names)) tried.add(name);
      return await plain.acquireSome(wanted, owner, ttlMs);
    };
    listed.add('d1');
    const queues = new Map<string, SlotUser>(clients.map((clientId) => [clientId, { ...nothing, length: 1 }]));
    const slots = await startWith('d2', () => queues);
    await passTimeUntil(clock, () => slots.of(calls) === 1);
    queues.set(calls, calling);
    for (let ms = 0; ms < 30_000; ms += 100) {
      await passTime(clock, 100);
      expect(slots.of(calls)).toBe(1);
    }
    expect(tried.size).toBe(clients.length);
  });

  it('have their final number after 3 s beside another dispatcher, and after 6 s if this dispatcher is not listed', async () => {
    const { clock, startOne } = setUp();
    await startOne('d1');
    const settledAt = new Map<string, number>();
    const [second, unlisted] = [await startOne('d2'), await startOne('d3', { isListed: false })];
    const startedMs = clock.nowMs();
    for (const [name, slots] of Object.entries({ second, unlisted })) {
      void slots.settled().then(() => settledAt.set(name, clock.nowMs() - startedMs));
    }
    await passTime(clock, 10_000);
    expect(settledAt).toEqual(
      new Map([
        ['second', 3000],
        ['unlisted', 6000],
      ]),
    );
    expect(unlisted.of(client)).toBe(0);
  });
});
