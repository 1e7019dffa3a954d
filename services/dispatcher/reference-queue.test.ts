import { fc } from '../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import type { Lane } from '../../shared/ports/message-bus.ts';
import { createReferenceQueue, type QueuedReference } from './reference-queue.ts';

const lane: Lane = { topic: 'calls', partition: 0, assignment: 1 };

function referenceOf(clientId: string, number: number, of: Lane = lane): QueuedReference {
  const message = { lane: of, offset: number, key: null, value: null };
  return { partition: 0, dueUs: number, jobId: `${clientId}-${number}`, clientId, origin: { message, open: 1 } };
}

const crowd = (clientId: string, count: number) =>
  Array.from({ length: count }, (_, index) => referenceOf(clientId, index));
const countOf = (taken: readonly QueuedReference[], of: string) =>
  taken.filter(({ clientId }) => clientId === of).length;

describe('references that wait for their claim', () => {
  it('are taken once each, in the order of their client, whatever room there is', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 4 });
    const rooms = fc.array(fc.tuple(fc.integer({ min: -20, max: 90 }), fc.integer({ min: -60, max: 60 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(sizes, rooms, (counts, takes) => {
        const queue = createReferenceQueue();
        counts.forEach((count, index) => queue.add(crowd(`c${index}`, count)));
        const taken = takes.flatMap(([max, room]) => {
          const got = queue.take(max, () => room);
          expect(got.length).toBeLessThanOrEqual(Math.max(0, max));
          counts.forEach((_, index) => expect(countOf(got, `c${index}`)).toBeLessThanOrEqual(Math.max(0, room)));
          return got;
        });
        taken.push(...queue.take(100_000, () => 100_000));
        expect(queue.size).toBe(0);
        counts.forEach((count, index) => {
          const own = taken.filter(({ clientId }) => clientId === `c${index}`).map(({ dueUs }) => dueUs);
          expect(own).toEqual(Array.from({ length: count }, (_, number) => number));
        });
      }),
    );
  });

  it('of a small client pass a crowd', () => {
    const queue = createReferenceQueue();
    queue.add(crowd('large', 5000));
    queue.add([referenceOf('small', 1)]);
    expect(
      countOf(
        queue.take(100, () => 100),
        'small',
      ),
    ).toBe(1);
  });

  it('of a client without room keep nobody from using all there is', () => {
    const queue = createReferenceQueue();
    queue.add(crowd('slow', 500));
    queue.add(crowd('fast', 500));
    expect(queue.take(300, (clientId) => (clientId === 'slow' ? 0 : 1000))).toHaveLength(300);
  });

  it('stay where they are while their client has more than it should, as its calls were quick and have become slow', () => {
    const queue = createReferenceQueue();
    queue.add(crowd('slower', 5000));
    queue.add(crowd('beside', 10));
    const taken = queue.take(500, (clientId) => (clientId === 'slower' ? -400 : 20));
    expect([countOf(taken, 'slower'), countOf(taken, 'beside')]).toEqual([0, 10]);
  });

  it('go first when they are put back, and are forgotten with their lane', () => {
    const queue = createReferenceQueue();
    const other = { ...lane, partition: 1 };
    queue.add([...crowd('a', 3), referenceOf('b', 1, other)]);
    queue.putBack(queue.take(2, () => 100));
    expect(queue.size).toBe(4);
    queue.drop(lane);
    expect([queue.size, queue.take(10, () => 10).map(({ clientId }) => clientId)]).toEqual([1, ['b']]);
  });
});
