import { describe, expect, it } from 'vitest';
import { createActionPool, isSlow } from './slot-pool.ts';

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

describe('the pool of an action type', () => {
  const slow = line(2000, 2000);

  it('has room for one slow call of six during the minute after a quick call, and for five otherwise', () => {
    const pool = createActionPool(6);
    pool.begin(false, 0);
    pool.end(false);
    pool.begin(true, 0);
    expect([pool.hasRoom(slow, false, 59_999), pool.hasRoom(slow, false, 60_000)]).toEqual([false, true]);
    for (let calls = 1; calls < 5; calls++) pool.begin(true, 60_000);
    expect(pool.hasRoom(slow, false, 60_000)).toBe(false);
  });

  it('has room for a slow call even if it has only one slot', () => {
    expect(createActionPool(1).hasRoom(slow, false, 0)).toBe(true);
  });
});
