import { describe, expect, it } from 'vitest';
import type { StoredPriority } from '../../shared/domain/job/priority-bands.ts';
import { clientQueuesSubject } from '../../test/support/client-queues-subject.ts';
import { fc } from '../../test/support/properties.ts';

describe('the queues of clients', () => {
  it('return each reference once, in the order in which its client added them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 30 })), { maxLength: 20 }),
        fc.integer({ min: 1, max: 40 }),
        (adds, most) => {
          const { queues, add } = clientQueuesSubject({ concurrency: 10_000, ofClient: 5000 });
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

  it('return jobs of a small client soon beside a client with 5,000 jobs', () => {
    const { add, claim, countOf } = clientQueuesSubject();
    add('crowd', 5000);
    add('small', 2);
    expect(countOf(claim(4), 'small')).toBe(2);
  });

  it('claim only jobs for which a slot is free', () => {
    const { queues, started, add, claim, end } = clientQueuesSubject();
    add('slow', 50);
    expect(claim()).toHaveLength(10);
    expect(claim()).toEqual([]);
    expect([started.length, queues.waiting, queues.queued]).toEqual([10, 0, 40]);
    end('slow');
    expect(claim()).toHaveLength(1);
  });

  it('claim slightly more jobs if calls are so fast that slots would be empty before the next claims', () => {
    const { clock, queues, add, claim, end } = clientQueuesSubject();
    add('quick', 5000);
    for (let flushes = 0; flushes < 100; flushes++) {
      claim();
      clock.advance(10);
      for (let inFlight = queues.inFlight; inFlight > 0; inFlight--) end('quick');
    }
    claim();
    // Ten jobs every ten milliseconds.
    expect(queues.inFlight + queues.waiting).toBeGreaterThan(20);
    expect(queues.inFlight + queues.waiting).toBeLessThan(100);
  });

  it('do not claim more jobs if slow calls end at the same time', () => {
    const { clock, queues, add, claim, end } = clientQueuesSubject();
    add('slow', 500);
    for (let rounds = 0; rounds < 3; rounds++) {
      claim();
      for (let flushes = 0; flushes < 50; flushes++) {
        clock.advance(100);
        claim();
      }
      for (let ended = 0; ended < 10; ended++) end('slow');
    }
    claim();
    expect(queues.inFlight + queues.waiting).toBeLessThanOrEqual(11);
  });

  it('leave slots and claims to a new client beside 30 clients with hanging calls', () => {
    const { queues, started, add, claim } = clientQueuesSubject({ concurrency: 20, ofClient: 10 });
    for (let client = 0; client < 30; client++) {
      add(`hangs-${client}`, 20);
      claim();
    }
    add('comes', 3);
    claim();
    expect(started.filter(({ clientId }) => clientId === 'comes')).toHaveLength(1);
    expect(queues.inFlight).toBeLessThanOrEqual(20 + 31);
  });

  it('give a single client half of the slots, and freed slots to waiting clients', () => {
    const { started, add, claim, end } = clientQueuesSubject({ concurrency: 20, ofClient: 100 });
    add('alone', 100);
    expect(claim()).toHaveLength(10);
    add('other', 100);
    expect(claim()).toHaveLength(5);
    for (let ended = 0; ended < 10; ended++) end('alone');
    claim();
    expect(started.filter(({ clientId }) => clientId === 'other').length).toBeGreaterThan(5);
  });

  it('ignore a repeated reference, but accept it with another due time', () => {
    const { queues, reference } = clientQueuesSubject();
    queues.add(reference('a', 1));
    queues.add(reference('a', 1));
    queues.add({ ...reference('a', 1), dueUs: 2 });
    expect(queues.queued).toBe(2);
    const [first] = queues.take(1);
    if (!first) throw new Error('nothing was queued');
    queues.requeue([first]);
    queues.requeue([first]);
    expect(queues.take(10)).toEqual([first, { ...first, dueUs: 2 }]);
    expect(queues.queued).toBe(0);
  });

  it.each([
    [4, 'another client that waits longer'],
    [3, 'the same client'],
  ])('give the slot of an ended call, with %i of eight in use, to %s', (taken, whom) => {
    const { queues, slots, started, jobOf, reference, end } = clientQueuesSubject({ concurrency: 8 });
    const hold = (clientId: string, count: number) =>
      queues.hold(Array.from({ length: count }, () => jobOf(reference(clientId))));
    slots.set('busy', 4).set('third', 1).set('waits', 0);
    // Once a call of the route has been answered, the route gets all slots of its client.
    hold('busy', 1);
    end('busy');
    hold('busy', 4);
    hold('third', taken - 3);
    hold('waits', 1);
    hold('busy', 1);
    slots.set('waits', 1);
    started.length = 0;
    end('busy');
    expect(queues.inFlight).toBe(taken + 1);
    expect(started.map(({ clientId }) => clientId)).toEqual([whom === 'the same client' ? 'busy' : 'waits']);
  });

  it('return the claimed jobs that have not begun when they are cleared, and drop all references', () => {
    const { queues, add, claim, clock, end } = clientQueuesSubject();
    add('a', 5000);
    for (let flushes = 0; flushes < 50; flushes++) {
      claim();
      clock.advance(10);
      for (let ended = 0; ended < 10; ended++) end('a');
    }
    claim();
    const waited = queues.waiting;
    expect(waited).toBeGreaterThan(0);
    expect(queues.clear()).toHaveLength(waited);
    expect([queues.queued, queues.waiting]).toEqual([0, 0]);
  });
});

describe('the endpoints of one client', () => {
  /** Returns the client of an endpoint: `a/1` is an endpoint of the client `a`. */
  const ownerOf = (clientId: string) => clientId.split('/')[0] ?? '';
  const manyOf = (count: number) => Array.from({ length: count }, (_, index) => `a/${index}`);

  it('do not delay each other or other clients if the calls of 20 endpoints hang', () => {
    const { add, claim, countOf, queues } = clientQueuesSubject({ ofClient: 1000, ownerOf });
    for (const endpoint of manyOf(20)) {
      add(endpoint, 200);
      claim();
    }
    const hanging = queues.inFlight;
    add('a/late', 10);
    add('b', 200);
    const next = claim();
    expect(countOf(next, 'a/late')).toBeGreaterThan(0);
    // The other client gets half of the free slots, and half of all slots are free.
    expect(hanging).toBeLessThanOrEqual(50 + 20);
    expect(countOf(next, 'b')).toBeGreaterThanOrEqual(15);
  });

  it("together get one client's share in each round of claims", () => {
    const { add, claim, countOf } = clientQueuesSubject({ concurrency: 10_000, ofClient: 5000, ownerOf });
    for (const endpoint of manyOf(9)) add(endpoint, 500);
    add('b', 500);
    expect(countOf(claim(20), 'b')).toBeGreaterThanOrEqual(10);
  });

  it('release all their slots', () => {
    const { add, claim, countOf, queues, end } = clientQueuesSubject({ ofClient: 1000, ownerOf });
    for (let rounds = 0; rounds < 3; rounds++) {
      for (const endpoint of manyOf(5)) add(endpoint, 20);
      const begun = claim();
      for (const endpoint of begun) end(endpoint);
      queues.take(500);
      queues.hold([]);
    }
    add('a/0', 200);
    // A single endpoint gets the same number: half of its client's half.
    expect(countOf(claim(), 'a/0')).toBe(25);
  });
});

describe('the priorities in the queue of one client', () => {
  /**
   * Calls jobs one after another, as with a single slot.
   * @returns the priorities in the order of the calls
   */
  function callOneByOne(
    fixture: ReturnType<typeof clientQueuesSubject>,
    times: number,
    before: () => void = () => undefined,
  ) {
    const { claim, end, started, priorityOf } = fixture;
    const from = started.length;
    for (let calls = 0; calls < times; calls++) {
      before();
      claim(1);
      end('shop');
    }
    return started.slice(from).map(({ jobId }) => priorityOf.get(jobId));
  }

  it('call a later high-priority job first, and the others in their order', () => {
    const fixture = clientQueuesSubject({ ofClient: 1 });
    fixture.add('shop', 500);
    callOneByOne(fixture, 10);
    fixture.add('shop', 20, 'high');
    const called = callOneByOne(fixture, 25);
    expect(called.filter((priority) => priority === 'high')).toHaveLength(20);
    expect(called.slice(0, 4)).toEqual(['high', 'high', 'high', 'high']);
  });

  it('leave normal and low jobs their shares while high-priority jobs keep arriving', () => {
    const fixture = clientQueuesSubject({ ofClient: 1 });
    fixture.add('shop', 500);
    fixture.add('shop', 500, 'low');
    const called = callOneByOne(fixture, 210, () => fixture.add('shop', 2, 'high'));
    const counts = Map.groupBy(called, (priority) => priority);
    expect([counts.get('high')?.length, counts.get('normal')?.length, counts.get('low')?.length]).toEqual([
      160, 40, 10,
    ]);
  });

  it('do not give a client precedence over another client, or more calls', () => {
    const orderOf = (priority?: StoredPriority) => {
      const { add, claim, end } = clientQueuesSubject({ concurrency: 8, ofClient: 3 });
      add('shop', 50, priority);
      add('neighbour', 50);
      const order = claim(6);
      for (let calls = 0; calls < 20; calls++) {
        end(calls % 2 === 0 ? 'shop' : 'neighbour');
        order.push(...claim(1));
      }
      return order;
    };
    expect(orderOf('high')).toEqual(orderOf());
    expect(orderOf('low')).toEqual(orderOf());
  });

  it('put references that could not be claimed ahead of other references, but only within the same priority', () => {
    const { queues, add } = clientQueuesSubject();
    add('shop', 3);
    add('shop', 3, 'high');
    const first = queues.take(4);
    queues.requeue(first);
    expect(queues.queued).toBe(6);
    const all = queues.take(6);
    const ofPriority = (priority?: StoredPriority) => all.filter((each) => each.priority === priority);
    expect(ofPriority('high').map(({ dueUs }) => dueUs)).toEqual([4, 5, 6]);
    expect(ofPriority().map(({ dueUs }) => dueUs)).toEqual([1, 2, 3]);
  });

  it('have separate credit, so that a backlog does not stop an urgent job', () => {
    const { add, credit, queues } = clientQueuesSubject({ ofClient: 10 });
    add('shop', 20);
    expect(credit().toClients).toEqual({ shop: 0 });
    add('shop', 5, 'high');
    expect(credit().toClients).toEqual({ shop: 0, 'shop/high': 15 });
    queues.clear();
    expect(credit().toClients).toEqual({});
  });
});
