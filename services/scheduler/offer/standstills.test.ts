import { describe, expect, it } from 'vitest';
import { createStandstills } from './standstills.ts';

/**
 * Makes reads with these durations. Each begins one second after the previous one ended.
 * @returns times at which a standstill ended
 */
function endsOf(tookMs: readonly number[]): number[] {
  const standstills = createStandstills();
  const ends: number[] = [];
  let nowMs = 0;
  for (const took of tookMs) {
    const beganMs = nowMs + 1000;
    nowMs = beganMs + took;
    if (standstills.isOver(beganMs, nowMs)) ends.push(nowMs);
  }
  return ends;
}

describe('a standstill of database reads', () => {
  it('ends with the first fast read, once', () => {
    expect(endsOf([5, 9000, 5, 5, 5])).toEqual([5 + 9000 + 5 + 3000]);
  });

  it('does not end while reads are slow', () => {
    expect(endsOf(Array.from({ length: 100 }, () => 1000))).toEqual([]);
  });

  it('ends at most once in ten seconds if reads are slow and fast in turns', () => {
    const reads = Array.from({ length: 100 }, (_, nth) => (nth % 2 === 0 ? 1500 : 500));
    const ends = endsOf(reads);
    const pauses = ends.slice(1).map((end, nth) => end - (ends[nth] ?? 0));
    expect(ends[0]).toBe(4000);
    expect(new Set(pauses)).toEqual(new Set([12_000]));
    expect(ends).toHaveLength(17);
  });

  it('ends no earlier than ten seconds after the end of the previous standstill', () => {
    expect(endsOf([1000, 0, 1000, ...Array.from({ length: 20 }, () => 0)])).toEqual([3000, 13_000]);
  });
});
