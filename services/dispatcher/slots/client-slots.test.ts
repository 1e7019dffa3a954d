import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { clientIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createMemoryDatabase } from '../../../test/support/memory/memory-database.ts';
import { createMemoryLeases } from '../../../test/support/memory/leases.ts';
import { createMemoryNotices } from '../../../test/support/memory/notices.ts';
import { passTime, settled, wakeUpsWithin } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createClientSlots, type ClientSlots } from './client-slots.ts';

const client = clientIdOf(1);
const concurrency = 10;

/** Dispatchers of one list, each of which may be unable to read it for a while. */
function setUp() {
  const clock = createSettableClock();
  const leases = createMemoryLeases({ database: createMemoryDatabase(clock) });
  const listed = new Set<string>();
  const cannotRead = new Set<string>();
  const all: ClientSlots[] = [];
  const notices = createMemoryNotices();
  let looks = 0;
  async function startOne(owner: string, { isListed = true } = {}): Promise<ClientSlots> {
    if (isListed) listed.add(owner);
    const dispatchers = () => {
      looks++;
      return cannotRead.has(owner) ? Promise.reject(new Error('no database')) : Promise.resolve([...listed].sort());
    };
    const slots = createClientSlots({
      ...{ nodes: { dispatchers }, leases, owner, concurrencyOf: () => concurrency, queues: () => [] },
      ...{ onGained: () => undefined, notices, clock, logger: pino({ level: 'silent' }) },
    });
    all.push(slots);
    await slots.start();
    return slots;
  }
  const inUse = () => all.reduce((sum, slots) => sum + slots.of(client), 0);
  const looksWithin = async (ms: number) => {
    looks = 0;
    await passTime(clock, ms);
    return looks;
  };
  return { clock, notices, listed, cannotRead, startOne, inUse, looksWithin };
}

describe('the call slots of a dispatcher', () => {
  it('are all of a client’s at once where it is alone', async () => {
    const { startOne } = setUp();
    const only = await startOne('d1');
    expect(only.isSettled()).toBe(true);
    expect(only.of(client)).toBe(concurrency);
    expect(only.isClosed(client)).toBe(false);
  });

  it('are looked after once a second while it is alone, twice beside another one, and nothing else wakes it', async () => {
    const { clock, listed, startOne, looksWithin } = setUp();
    await startOne('d1');
    expect(await looksWithin(10_000)).toBe(10);
    expect(await wakeUpsWithin(clock, 10_000)).toBe(10);
    listed.add('d2');
    await passTime(clock, 1000);
    expect(await looksWithin(10_000)).toBe(20);
  });

  it('are shared at once with one of which it is told', async () => {
    const { notices, listed, startOne, inUse } = setUp();
    await startOne('d1');
    listed.add('d2');
    notices.tell('nodes');
    await settled();
    expect(inUse()).toBe(concurrency / 2);
  });

  it('are looked after twice a second while nothing can be told', async () => {
    const { notices, startOne, looksWithin } = setUp();
    notices.lose();
    await startOne('d1');
    expect(await looksWithin(10_000)).toBe(20);
  });

  it('are none beside another one until that has certainly read of it, and then its part', async () => {
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

  it('are never more than the client’s number in sum, though the one before cannot read that another came', async () => {
    const { clock, cannotRead, startOne, inUse } = setUp();
    const first = await startOne('d1');
    cannotRead.add('d1');
    await passTime(clock, 100);
    const second = await startOne('d2');
    for (let ms = 0; ms < 6000; ms += 50) {
      await passTime(clock, 50);
      expect(inUse()).toBeLessThanOrEqual(concurrency);
    }
    // What it read is too old to go by.
    expect([first.of(client), second.of(client)]).toEqual([0, concurrency / 2]);
    cannotRead.clear();
    await passTime(clock, 1000);
    expect([first.of(client), second.of(client)]).toEqual([concurrency / 2, concurrency / 2]);
  });

  it('are waited for: a start beside another one is settled after that time, one without a place after twice it', async () => {
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
