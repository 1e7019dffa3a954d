import { describe, expect, it } from 'vitest';
import { pauseAfter } from './pause-after.ts';

describe('the pause after a poll', () => {
  it.each([
    ['a quick look', 1, 100, 100],
    ['a long look', 50, 100, 1000],
    ['a look that waited for a lock', 8000, 100, 10_000],
  ])('grows with the duration up to a limit: %s, %i ms', (_what, tookMs, atLeastMs, expected) => {
    expect(pauseAfter(tookMs, atLeastMs)).toBe(expected);
  });
});
