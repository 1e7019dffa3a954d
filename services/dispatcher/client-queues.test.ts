import { describe, expect, it } from 'vitest';
import type { SaidPriority } from '../../shared/domain/job/priority-bands.ts';
import type { Priority } from '../../shared/domain/priorities.ts';
import { fc } from '../../test/support/properties.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createClientQueues, type ClientQueues } from './client-queues.ts';
import { creditOf, mayQueue } from './credit.ts';
import type { HeardReference } from './heard-reference.ts';
import { heldJobOf, type HeldJob } from './held-job.ts';

function setUp({ concurrency = 100, ofClient = 10, ownerOf = (clientId: string) => clientId } = {}) {
  const clock = createSettableClock();
  const started: HeldJob[] = [];
  /** By job. */
  const priorityOf = new Map<string, Priority>();
  const concurrencyOf = () => ofClient;
  const queues: ClientQueues = createClientQueues({
    ...{ concurrency, concurrencyOf, ownerOf, clock },
    start: (job) => void started.push(job),
  });
  let number = 0;
  const heard = { lane: { topic: 'muster.local.calls', partition: 0, assignment: 1 }, offset: 0 };
  const reference = (clientId: string, nth = ++number, priority?: SaidPriority): HeardReference => {
    return { partition: 0, dueUs: nth, jobId: `${nth}`, clientId, saidClientId: clientId, heard, priority };
  };
  const add = (clientId: string, count: number, priority?: SaidPriority) => {
    for (let adds = 0; adds < count; adds++) {
      const added = reference(clientId, undefined, priority);
      priorityOf.set(added.jobId, priority ?? 'normal');
      queues.add(added);
    }
  };
  const jobOf = ({ partition, dueUs, jobId, clientId }: HeardReference) =>
    heldJobOf(
      {
        ...{
          partition,
          dueUs,
          jobId,
          clientId,
          epoch: 1,
          attempt: 1,
          scheduledForMs: 0,
          claimedAtMs: 0,
          expiresInMs: null,
        },
        ...{
          method: 'POST',
          url: 'https://one.example/',
          headers: null,
          body: null,
          repeats: null,
          terms: null,
          orderingKey: null,
          aloneMs: null,
          report: null,
        },
      },
      0,
      1000,
    );
  /** Claims what may be claimed. @returns of whom */
  const claim = (most = 500) => {
    const taken = queues.take(most);
    queues.hold(taken.map(jobOf));
    return taken.map(({ clientId }) => clientId);
  };
  const countOf = (clients: readonly string[], clientId: string) => clients.filter((each) => each === clientId).length;
  const credit = () => creditOf({ queues, concurrencyOf });
  return { clock, queues, started, priorityOf, reference, add, claim, countOf, credit };
}

describe('the queues of clients', () => {
  it('give each reference once, in the order of its client, whatever is taken when', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 30 })), { maxLength: 20 }),
        fc.integer({ min: 1, max: 40 }),
        (adds, most) => {
          const { queues, add } = setUp({ concurrency: 10_000, ofClient: 5000 });
          for (const [clientId, count] of adds) add(clientId, count);
          const all = adds.reduce((sum, [, count]) => sum + count, 0);
          const taken = [];
          for (let turns = 0; turns < 1000 && queues.queued > 0; turns++) taken.push(...queues.take(most));
          expect(taken).toHaveLength(all);
          for (const own of Map.groupBy(taken, ({ clientId }) => clientId).values()) {
            expect(own.map(({ dueUs }) => dueUs)).toEqual(own.map(({ dueUs }) => dueUs).toSorted((a, b) => a - b));
          }
        },
      ),
    );
  });

  it('let a small client pass a crowd', () => {
    const { add, claim, countOf } = setUp();
    add('crowd', 5000);
    add('small', 2);
    expect(countOf(claim(4), 'small')).toBe(2);
  });

  it('claim what can begin, and no second round of slots', () => {
    const { queues, started, add, claim } = setUp();
    add('slow', 50);
    expect(claim()).toHaveLength(10);
    expect(claim()).toEqual([]);
    expect([started.length, queues.waiting, queues.queued]).toEqual([10, 0, 40]);
    queues.done('slow');
    expect(claim()).toHaveLength(1);
  });

  it('claim somewhat more where calls are so quick that slots would be empty before the next claims come', () => {
    const { clock, queues, add, claim } = setUp();
    add('quick', 5000);
    for (let flushes = 0; flushes < 100; flushes++) {
      claim();
      clock.advance(10);
      for (let inFlight = queues.inFlight; inFlight > 0; inFlight--) queues.done('quick');
    }
    claim();
    // Ten every ten milliseconds.
    expect(queues.inFlight + queues.waiting).toBeGreaterThan(20);
    expect(queues.inFlight + queues.waiting).toBeLessThan(100);
  });

  it('do not take calls that end together for quick ones', () => {
    const { clock, queues, add, claim } = setUp();
    add('slow', 500);
    for (let rounds = 0; rounds < 3; rounds++) {
      claim();
      for (let flushes = 0; flushes < 50; flushes++) {
        clock.advance(100);
        claim();
      }
      for (let ended = 0; ended < 10; ended++) queues.done('slow');
    }
    claim();
    expect(queues.inFlight + queues.waiting).toBeLessThanOrEqual(11);
  });

  it('leave slots and claims to whoever comes, however many clients have calls that hang', () => {
    const { queues, started, add, claim } = setUp({ concurrency: 20, ofClient: 10 });
    for (let client = 0; client < 30; client++) {
      add(`hangs-${client}`, 20);
      claim();
    }
    add('comes', 3);
    claim();
    expect(started.filter(({ clientId }) => clientId === 'comes')).toHaveLength(1);
    expect(queues.inFlight).toBeLessThanOrEqual(20 + 31);
  });

  it('give a client that is alone half of all slots, and what another gives back to those who wait', () => {
    const { queues, started, add, claim } = setUp({ concurrency: 20, ofClient: 100 });
    add('alone', 100);
    expect(claim()).toHaveLength(10);
    add('other', 100);
    expect(claim()).toHaveLength(5);
    for (let ended = 0; ended < 10; ended++) queues.done('alone');
    claim();
    expect(started.filter(({ clientId }) => clientId === 'other').length).toBeGreaterThan(5);
  });

  it('do not take the same reference twice, and take it under another due time', () => {
    const { queues, reference } = setUp();
    queues.add(reference('a', 1));
    queues.add(reference('a', 1));
    queues.add({ ...reference('a', 1), dueUs: 2 });
    expect(queues.queued).toBe(2);
    const [first] = queues.take(1);
    if (!first) throw new Error('nothing was queued');
    queues.putBack([first]);
    queues.putBack([first]);
    expect(queues.take(10)).toEqual([first, { ...first, dueUs: 2 }]);
    expect(queues.queued).toBe(0);
  });

  it('give back what was claimed and not begun, and forget the rest', () => {
    const { queues, add, claim, clock } = setUp();
    add('a', 5000);
    for (let flushes = 0; flushes < 50; flushes++) {
      claim();
      clock.advance(10);
      for (let ended = 0; ended < 10; ended++) queues.done('a');
    }
    claim();
    const waited = queues.waiting;
    expect(waited).toBeGreaterThan(0);
    expect(queues.clear()).toHaveLength(waited);
    expect([queues.queued, queues.waiting]).toEqual([0, 0]);
  });
});

describe('what may be sent to a dispatcher', () => {
  it('is two hundred of a client that has nothing there', () => {
    expect(setUp().credit()).toEqual({ toAnyClient: 200, toClients: {} });
  });

  it('is nothing of a slow client that has two rounds of slots there', () => {
    const { add, claim, credit } = setUp();
    add('slow', 17);
    claim();
    expect(credit().toClients).toEqual({ slow: 13 });
    add('slow', 13);
    expect(credit().toClients).toEqual({ slow: 0 });
  });

  it('grows to what calls get through in two seconds, and falls when they become slow', () => {
    const { clock, queues, add, claim, credit } = setUp({ concurrency: 1000, ofClient: 100 });
    add('quick', 40_000);
    for (let flushes = 0; flushes < 300; flushes++) {
      claim();
      clock.advance(10);
      for (let inFlight = queues.inFlight; inFlight > 0; inFlight--) queues.done('quick');
    }
    queues.clear();
    expect(credit().toClients['quick']).toBeGreaterThan(15_000);
    add('quick', 100);
    for (let flushes = 0; flushes < 300; flushes++) {
      claim();
      clock.advance(10);
    }
    expect(credit().toClients['quick']).toBeLessThanOrEqual(200);
  });

  it('stays as it was over a second in which none came, and is forgotten after a while', () => {
    const { clock, queues, add, claim, credit } = setUp({ concurrency: 1000, ofClient: 100 });
    const work = (ms: number) => {
      for (let passedMs = 0; passedMs < ms; passedMs += 10) {
        claim();
        clock.advance(10);
        for (let inFlight = queues.inFlight; inFlight > 0; inFlight--) queues.done('quick');
      }
    };
    for (let seconds = 0; seconds < 3; seconds++) {
      add('quick', 1000);
      work(1000);
    }
    const before = credit().toClients['quick'] ?? 0;
    work(1000);
    expect(credit().toClients['quick']).toBeGreaterThan(before / 2);
    expect(credit().toClients['quick']).toBeGreaterThan(1000);
    work(20_000);
    expect(credit()).toEqual({ toAnyClient: 200, toClients: {} });
  });

  it('leaves every client a floor, however much lies there of others', () => {
    const { add, credit } = setUp();
    add('crowd', 150_000);
    expect(credit()).toEqual({ toAnyClient: 20, toClients: { crowd: 0 } });
  });

  it('is somewhat less than what is kept: what schedulers know is a little old', () => {
    const { queues, add } = setUp();
    add('crowd', 100_000);
    expect([mayQueue(queues, 'crowd'), mayQueue(queues, 'other')]).toEqual([false, true]);
    add('next', 99_999);
    add('third', 1);
    expect([mayQueue(queues, 'next'), mayQueue(queues, 'third')]).toEqual([false, true]);
  });
});

describe('endpoints of one client', () => {
  /** `a/1` is one of `a`. */
  const ownerOf = (clientId: string) => clientId.split('/')[0] ?? '';
  const manyOf = (count: number) => Array.from({ length: count }, (_, index) => `a/${index}`);

  it('that hang hold up neither each other nor other clients, however many they are', () => {
    const { add, claim, countOf, queues } = setUp({ ofClient: 1000, ownerOf });
    for (const endpoint of manyOf(20)) {
      add(endpoint, 200);
      claim();
    }
    const hanging = queues.inFlight;
    add('a/late', 10);
    add('b', 200);
    const next = claim();
    expect(countOf(next, 'a/late')).toBeGreaterThan(0);
    // What one client may have beside all of another's: half of what is free, and that is half of all.
    expect(hanging).toBeLessThanOrEqual(50 + 20);
    expect(countOf(next, 'b')).toBeGreaterThanOrEqual(15);
  });

  it('have one share of each round of claims together', () => {
    const { add, claim, countOf } = setUp({ concurrency: 10_000, ofClient: 5000, ownerOf });
    for (const endpoint of manyOf(9)) add(endpoint, 500);
    add('b', 500);
    expect(countOf(claim(20), 'b')).toBeGreaterThanOrEqual(10);
  });

  it('give back all that they had', () => {
    const { add, claim, countOf, queues } = setUp({ ofClient: 1000, ownerOf });
    for (let rounds = 0; rounds < 3; rounds++) {
      for (const endpoint of manyOf(5)) add(endpoint, 20);
      const begun = claim();
      for (const endpoint of begun) queues.done(endpoint);
      queues.take(500);
    }
    add('a/0', 200);
    // As one alone: half of its client's half.
    expect(countOf(claim(), 'a/0')).toBe(25);
  });
});

describe('priorities in the queue of a client', () => {
  /** Calls one after the other, as with one slot. @returns the priorities in the order of the calls */
  function callOneByOne(fixture: ReturnType<typeof setUp>, times: number, before: () => void = () => undefined) {
    const { queues, claim, started, priorityOf } = fixture;
    const from = started.length;
    for (let calls = 0; calls < times; calls++) {
      before();
      claim(1);
      queues.done('shop');
    }
    return started.slice(from).map(({ jobId }) => priorityOf.get(jobId));
  }

  it('what is high and came last is called first, and the rest in its order', () => {
    const fixture = setUp({ ofClient: 1 });
    fixture.add('shop', 500);
    callOneByOne(fixture, 10);
    fixture.add('shop', 20, 'high');
    const called = callOneByOne(fixture, 25);
    expect(called.filter((priority) => priority === 'high')).toHaveLength(20);
    expect(called.slice(0, 4)).toEqual(['high', 'high', 'high', 'high']);
  });

  it('however many come above it, what is normal and what is low keep their shares', () => {
    const fixture = setUp({ ofClient: 1 });
    fixture.add('shop', 500);
    fixture.add('shop', 500, 'low');
    const called = callOneByOne(fixture, 210, () => fixture.add('shop', 2, 'high'));
    const counts = Map.groupBy(called, (priority) => priority);
    expect([counts.get('high')?.length, counts.get('normal')?.length, counts.get('low')?.length]).toEqual([
      160, 40, 10,
    ]);
  });

  it('no client passes another by them, and none has more at once', () => {
    const orderOf = (priority?: SaidPriority) => {
      const { queues, add, claim } = setUp({ concurrency: 8, ofClient: 3 });
      add('shop', 50, priority);
      add('neighbour', 50);
      const order = claim(6);
      for (let calls = 0; calls < 20; calls++) {
        queues.done(calls % 2 === 0 ? 'shop' : 'neighbour');
        order.push(...claim(1));
      }
      return order;
    };
    expect(orderOf('high')).toEqual(orderOf());
    expect(orderOf('low')).toEqual(orderOf());
  });

  it('what is given back goes before others of its priority alone', () => {
    const { queues, add } = setUp();
    add('shop', 3);
    add('shop', 3, 'high');
    const first = queues.take(4);
    queues.putBack(first);
    expect(queues.queued).toBe(6);
    const all = queues.take(6);
    const ofPriority = (priority?: SaidPriority) => all.filter((each) => each.priority === priority);
    expect(ofPriority('high').map(({ dueUs }) => dueUs)).toEqual([4, 5, 6]);
    expect(ofPriority().map(({ dueUs }) => dueUs)).toEqual([1, 2, 3]);
  });

  it('each that came has room of its own, so that a backlog keeps no urgent one away', () => {
    const { add, credit, queues } = setUp({ ofClient: 10 });
    add('shop', 20);
    expect(credit().toClients).toEqual({ shop: 0 });
    add('shop', 5, 'high');
    expect(credit().toClients).toEqual({ shop: 0, 'shop/high': 15 });
    queues.clear();
    expect(credit().toClients).toEqual({});
  });
});
