import { describe, expect, it } from 'vitest';
import { localStart } from './local-start.ts';

const now = new Date('2026-11-29T12:00:00Z');

describe('a start by the clocks of its countries', () => {
  it.each([
    ['2026-11-29T09:00:00', 'Sun 29 Nov, 09:00'],
    ['2026-12-01 09:30', 'Tue 1 Dec, 09:30'],
    ['2027-01-10T00:00:00', 'Sun 10 Jan 2027, 00:00'],
    ['2026-13-45T09:00', '2026-13-45 09:00'],
    ['2026-1', '2026-1'],
  ])('at %s has the hour of each country: %s', (time, words) => {
    expect(localStart(time, now)).toBe(words);
  });
});
