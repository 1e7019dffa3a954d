import { describe, expect, it } from 'vitest';
import { formatCountProgress, overlapOf, formatReadingTime } from './count-texts.ts';

const line = { excluded: 0, shared: 0, withUsers: null, both: null, parts: null };

describe('an exact count in words', () => {
  it('is listed by country, including those not started', () => {
    const counted = [
      { country: 'SG', done: true, users: 1400, ...line },
      { country: 'ID', done: false, users: 300, ...line },
    ];
    expect(formatCountProgress({ countries: ['SG', 'ID', 'VN'], counted })).toBe(
      'SG 1,400 · ID 300 so far · VN not started',
    );
  });

  it('has its reading time once it has ended', () => {
    expect(formatReadingTime({ startedAt: '2026-11-21T20:44:21.000Z', endedAt: '2026-11-21T20:44:29.000Z' })).toBe(
      '8 s',
    );
    expect(formatReadingTime({ startedAt: null, endedAt: null })).toBeNull();
  });

  it('has three numbers if it is of two audiences', () => {
    expect(overlapOf({ users: 10, withUsers: 7, both: 4 })).toEqual({ onlyHere: 6, both: 4, onlyThere: 3 });
    expect(overlapOf({ users: 10, withUsers: null, both: null })).toBeNull();
  });
});
