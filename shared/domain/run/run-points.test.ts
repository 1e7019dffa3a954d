import { describe, expect, it } from 'vitest';
import { firstGapMs, maxPoints, pointGapMs, pointPlaceOf } from './run-points.ts';

const hourMs = 3_600_000;

describe("the points of a run's history", () => {
  it('are five seconds apart in the first hour', () => {
    expect(pointPlaceOf(0)).toEqual({ slot: 0, stride: 1 });
    expect(pointPlaceOf(4999)).toEqual({ slot: 0, stride: 1 });
    expect(pointPlaceOf(5000)).toEqual({ slot: 1, stride: 1 });
    expect(pointGapMs(hourMs)).toBe(firstGapMs);
  });

  it("are twice as far apart each time the run's duration doubles", () => {
    expect([1.5, 2, 3, 4, 5].map((hours) => pointGapMs(hours * hourMs) / firstGapMs)).toEqual([2, 2, 4, 4, 8]);
    expect(pointPlaceOf(2 * hourMs - 1)).toEqual({ slot: 1438, stride: 2 });
  });

  it('never exceed their maximum number, and are 21 minutes apart after a week', () => {
    const kept = new Set<number>();
    for (let elapsedMs = 0; elapsedMs < 7 * 24 * hourMs; elapsedMs += firstGapMs) {
      const { slot, stride } = pointPlaceOf(elapsedMs);
      for (const other of kept) if (other % stride !== 0) kept.delete(other);
      kept.add(slot);
      if (kept.size > maxPoints + 1) throw new Error(`${kept.size} points after ${elapsedMs} ms`);
    }
    expect(kept.size).toBeGreaterThan(maxPoints / 2);
    expect(pointGapMs(7 * 24 * hourMs) / 60_000).toBeCloseTo(21.3, 1);
  });
});
