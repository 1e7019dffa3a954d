import { describe, expect, it } from 'vitest';
import { isRefusedTooOften } from './refusals.ts';

describe('the limit of refused users', () => {
  it.each([
    [{ succeeded: 0, refused: 999 }, false],
    [{ succeeded: 0, refused: 1000 }, true],
    [{ succeeded: 19_000, refused: 1000 }, false],
    [{ succeeded: 18_999, refused: 1000 }, true],
    [{ succeeded: 10_000_000, refused: 400_000 }, false],
  ])('for %o is exceeded: %s', (counts, expected) => {
    expect(isRefusedTooOften(counts, 5)).toBe(expected);
  });
});
