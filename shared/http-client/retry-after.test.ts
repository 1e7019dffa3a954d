import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const now = new Date('2026-12-01T09:00:00Z');

describe('the Retry-After header', () => {
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Tue, 01 Dec 2026 09:00:30 GMT', 30_000],
    ['Tue, 01 Dec 2026 08:00:00 GMT', 0],
    ['86400', 86_400_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%j means %j ms', (value, expected) => {
    expect(retryAfterMs(value, now)).toBe(expected);
  });
});
