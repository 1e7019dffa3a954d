import { describe, expect, it } from 'vitest';
import { formatLocalStart } from './local-start.ts';

const now = new Date('2026-11-29T12:00:00Z');

describe('a start at local time', () => {
  it.each([
    ['2026-11-29T09:00:00', 'Sun 29 Nov, 09:00'],
    ['2026-12-01 09:30', 'Tue 1 Dec, 09:30'],
    ['2027-01-10T00:00:00', 'Sun 10 Jan 2027, 00:00'],
    ['2026-13-45T09:00', '2026-13-45 09:00'],
    ['2026-1', '2026-1'],
  ])('formats %s as the time in each country: %s', (time, words) => {
    expect(formatLocalStart(time, now)).toBe(words);
  });
});
