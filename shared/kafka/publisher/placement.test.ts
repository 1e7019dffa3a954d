import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { createPlacement, leastLoaded } from './placement.ts';

function given({ partitions = 3 }: { partitions?: number } = {}) {
  let nowMs = 0;
  const placement = createPlacement({ monotonicMs: () => nowMs });
  const ids = Array.from({ length: partitions }, (_, id) => id);
  const committed = ids.map(() => 0);
  const ends = ids.map(() => 0);

  function place(count: number): number[] {
    return Array.from({ length: count }, () => {
      const chosen = placement.choose('t', ids);
      ends[chosen] = (ends[chosen] ?? 0) + 1;
      return chosen;
    });
  }

  /** Passes a second in which each partition's worker handles a number of messages, and then looks at the lag. */
  function pass(handled: readonly number[]): void {
    nowMs += 1000;
    for (const id of ids) committed[id] = Math.min(ends[id] ?? 0, (committed[id] ?? 0) + (handled[id] ?? 0));
    placement.beginRead('t')(ids.map((id) => ({ partition: id, committed: committed[id] ?? 0, end: ends[id] ?? 0 })));
  }

  const unhandled = () => ids.map((id) => (ends[id] ?? 0) - (committed[id] ?? 0));
  return { placement, place, pass, unhandled };
}

function counts(chosen: readonly number[], partitions: number): number[] {
  return Array.from({ length: partitions }, (_, id) => chosen.filter((each) => each === id).length);
}

describe('the placement of messages', () => {
  it('alternates between partitions without load data, separately for each topic', () => {
    const { placement, place } = given();
    expect(place(4)).toEqual([0, 1, 2, 0]);
    expect(placement.choose('another', [0, 1, 2])).toBe(0);
  });

  it('includes added partitions', () => {
    const { placement } = given();
    expect([placement.choose('t', [0]), placement.choose('t', [0, 1]), placement.choose('t', [0, 1])]).toEqual([
      0, 1, 0,
    ]);
  });

  it('chooses a partition with the least unhandled messages', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 200 }),
        (backlogs, count) => {
          const { placement } = given({ partitions: backlogs.length });
          placement.beginRead('t')(backlogs.map((end, partition) => ({ partition, committed: 0, end })));
          const loads = [...backlogs];
          for (let i = 0; i < count; i++) {
            const chosen = placement.choose('t', [...backlogs.keys()]);
            expect(loads[chosen]).toBe(Math.min(...loads));
            loads[chosen] = (loads[chosen] ?? 0) + 1;
          }
        },
      ),
    );
  });

  it('counts a message once if it was placed before a check of the load and is unhandled at that check', () => {
    const { place, pass } = given({ partitions: 2 });
    place(4);
    pass([2, 0]);
    expect(counts(place(2), 2)).toEqual([2, 0]);
  });

  it('gives a frozen worker few messages', () => {
    const { place, pass, unhandled } = given();
    for (let second = 0; second < 60; second++) {
      place(150);
      pass([100, 100, 0]);
    }
    const [first = 0, , frozen = 0] = unhandled();
    // Two seconds of an even share, until the rate is known; a round robin would give 3,000.
    expect(frozen).toBeLessThanOrEqual(100);
    expect(first).toBeLessThanOrEqual(frozen + 100);
  });

  it("gives a worker with a tenth of the slots about a tenth of the others' messages", () => {
    const { place, pass } = given();
    let slow = 0;
    for (let second = 0; second < 60; second++) {
      const placed = counts(place(205), 3);
      if (second >= 10) slow += placed[2] ?? 0;
      pass([100, 100, 10]);
    }
    expect(slow / 50).toBeGreaterThan(5);
    expect(slow / 50).toBeLessThan(16);
  });

  it('gives a recovered worker its share again', () => {
    const { place, pass } = given();
    for (let second = 0; second < 30; second++) {
      place(150);
      pass([100, 100, 0]);
    }
    let share = 0;
    for (let second = 0; second < 30; second++) {
      const placed = counts(place(150), 3);
      if (second >= 15) share += placed[2] ?? 0;
      pass([100, 100, 100]);
    }
    expect(share / 15).toBeGreaterThan(35);
  });

  it('chooses the least load, and alternates between equal loads', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 12 }), fc.nat(100), (loads, turn) => {
        const chosen = leastLoaded(loads, turn);
        expect(loads[chosen]).toBe(Math.min(...loads));
      }),
    );
    expect([0, 1, 2, 3].map((turn) => leastLoaded([1, 1, 1], turn))).toEqual([0, 1, 2, 0]);
  });
});
