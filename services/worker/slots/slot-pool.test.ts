import { describe, expect, it } from 'vitest';
import { isSlow } from './slot-pool.ts';

const line = (meanMs: number, recentMs: number) => {
  const times = { recentMs, usualMs: 0, isSlower: false, onAnswer: () => undefined };
  return { inFlight: 0, meanMs, guard: { times } };
};

describe("a feed's calls", () => {
  it.each([
    ['before the first call has ended', 0, 0],
    ['if the mean call takes a second', 1000, 20],
    ['if the last calls took a second', 20, 1000],
  ])('count as slow %s', (_when, meanMs, recentMs) => {
    expect(isSlow(line(meanMs, recentMs))).toBe(true);
  });

  it('count as fast if the mean and the last calls take less than a second', () => {
    expect(isSlow(line(999, 999))).toBe(false);
  });
});
