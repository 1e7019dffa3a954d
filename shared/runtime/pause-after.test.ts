import { describe, expect, it } from 'vitest';
import { pauseAfter } from './pause-after.ts';

describe('the pause after a look', () => {
  it.each([
    ['a quick one', 1, 100, 100],
    ['a long one', 50, 100, 1000],
    ['one that waited for a lock', 8000, 100, 10_000],
  ])('of %s, %i ms, is in keeping with it and has an end', (_what, tookMs, atLeastMs, expected) => {
    expect(pauseAfter(tookMs, atLeastMs)).toBe(expected);
  });
});
