import { fc } from '../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import type { JobReference } from '../../shared/domain/job/job-key.ts';
import { createFairOffers, quantum } from './fair-offers.ts';

function referenceOf(clientId: string, number: number, partition = 0): JobReference {
  return { partition, dueUs: number, jobId: `${clientId}-${number}`, clientId };
}

function offersOf(rates: Record<string, number> = {}, caps = { maxPerClient: 5000, maxInAll: 50_000 }) {
  return createFairOffers({ rateOf: (clientId) => rates[clientId], ...caps });
}

const crowd = (clientId: string, count: number) =>
  Array.from({ length: count }, (_, index) => referenceOf(clientId, index));
const countOf = (references: readonly JobReference[], of: string) =>
  references.filter(({ clientId }) => clientId === of).length;

describe('fair offers', () => {
  it('offer everything once, whatever is taken when', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 120 })), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 30 }),
        (added, takes) => {
          const offers = offersOf();
          const given = added.flatMap(([client, count], part) =>
            Array.from({ length: count }, (_, index) => referenceOf(client, part * 1000 + index)),
          );
          for (const reference of given) offers.add(reference);
          const taken = [...takes.flatMap((max) => offers.take(max, 0)), ...offers.take(100_000, 0)];
          expect(taken.map(({ jobId }) => jobId).sort()).toEqual(given.map(({ jobId }) => jobId).sort());
          expect(offers.size).toBe(0);
        },
      ),
    );
  });

  it('give every client that has enough the same, to a turn, however the crowds differ', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 2, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 10 }),
        (sizes, takes) => {
          const offers = offersOf();
          sizes.forEach((size, index) => crowd(`c${index}`, size).forEach((reference) => offers.add(reference)));
          const served = sizes.map(() => 0);
          for (const max of takes) {
            const taken = offers.take(max, 0);
            sizes.forEach((_, index) => (served[index] = (served[index] ?? 0) + countOf(taken, `c${index}`)));
            const unfinished = served.filter((count, index) => count < (sizes[index] ?? 0));
            // A turn may be cut in two by the end of a take, and the rest of it is not made up for.
            const spread = Math.max(...unfinished, 0) - Math.min(...unfinished, Infinity);
            if (unfinished.length > 1) expect(spread).toBeLessThanOrEqual(quantum * takes.length);
          }
        },
      ),
    );
  });

  it('let one job of a small client pass a crowd', () => {
    const offers = offersOf();
    for (const reference of crowd('large', 4000)) offers.add(reference);
    offers.add(referenceOf('small', 1));
    expect(countOf(offers.take(quantum + 1, 0), 'small')).toBe(1);
  });

  it('keep each client to its rate over any time, with a quarter of a second’s worth at once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 40 }),
        (rate, pauses) => {
          const offers = offersOf({ slow: rate }, { maxPerClient: 100_000, maxInAll: 100_000 });
          for (const reference of crowd('slow', 20_000)) offers.add(reference);
          let nowMs = 0;
          let taken = offers.take(100_000, nowMs).length;
          for (const pause of pauses) taken += offers.take(100_000, (nowMs += pause)).length;
          const burst = Math.max(1, rate / 4);
          expect(taken).toBeLessThanOrEqual(Math.floor(burst + (rate * nowMs) / 1000 + 1e-6));
        },
      ),
    );
  });

  it('say how long the next one has to wait', () => {
    const offers = offersOf({ slow: 2 });
    expect(offers.waitMs(0)).toBe(Infinity);
    for (const reference of crowd('slow', 3)) offers.add(reference);
    expect(offers.take(10, 0)).toHaveLength(1);
    expect(offers.waitMs(0)).toBe(500);
    expect(offers.take(10, 499)).toHaveLength(0);
    expect(offers.take(10, 500)).toHaveLength(1);
  });

  it('make nobody without a rate wait for who has one', () => {
    const offers = offersOf({ slow: 1 });
    for (const reference of [...crowd('slow', 100), ...crowd('fast', 300)]) offers.add(reference);
    const taken = offers.take(1000, 0);
    expect([countOf(taken, 'slow'), countOf(taken, 'fast')]).toEqual([1, 300]);
  });

  it('hold no more than they may, of one client and of all', () => {
    const offers = offersOf({}, { maxPerClient: 10, maxInAll: 15 });
    for (const reference of crowd('a', 10)) offers.add(reference);
    expect([offers.isFull('a'), offers.isFull('b'), offers.hasRoom('a'), offers.hasRoom('b')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    for (const reference of crowd('b', 5)) offers.add(reference);
    expect(offers.isFull('b')).toBe(true);
    offers.take(10, 0);
    expect([offers.isFull('a'), offers.isFull('b')]).toEqual([false, false]);
  });

  it('give what could not be published back first, and do not charge for it again', () => {
    const offers = offersOf({ slow: 1 });
    for (const reference of crowd('slow', 3)) offers.add(reference);
    const taken = offers.take(10, 0);
    offers.putBack(taken);
    expect(offers.take(10, 0)).toEqual(taken);
  });

  it('take the same job once, and again under another due time', () => {
    const offers = offersOf();
    offers.add({ ...referenceOf('a', 1), dueUs: 1 });
    offers.add({ ...referenceOf('a', 1), dueUs: 1 });
    offers.add({ ...referenceOf('a', 1), dueUs: 2 });
    expect(offers.take(10, 0)).toHaveLength(2);
  });

  it('forget what lies in partitions of others', () => {
    const offers = offersOf();
    for (const partition of [1, 2, 3]) offers.add(referenceOf('a', partition, partition));
    offers.keepOnly(new Set([2]));
    expect(offers.take(10, 0)).toMatchObject([{ partition: 2 }]);
  });
});
