import { describe, expect, it } from 'vitest';
import { countedByCountry, overlapOf, readIn } from './count-words.ts';

const line = { excluded: 0, shared: 0, withUsers: null, both: null, parts: null };

describe('an exact count in words', () => {
  it('is told by country, with what is still to come', () => {
    const counted = [
      { country: 'SG', done: true, users: 1400, ...line },
      { country: 'ID', done: false, users: 300, ...line },
    ];
    expect(countedByCountry({ countries: ['SG', 'ID', 'VN'], counted })).toBe('SG 1,400 · ID 300 so far · VN to come');
  });

  it('was read in so long, once it has ended', () => {
    expect(readIn({ startedAt: '2026-11-21T20:44:21.000Z', endedAt: '2026-11-21T20:44:29.000Z' })).toBe('8 s');
    expect(readIn({ startedAt: null, endedAt: null })).toBeNull();
  });

  it('of two audiences is three numbers', () => {
    expect(overlapOf({ users: 10, withUsers: 7, both: 4 })).toEqual({ onlyHere: 6, both: 4, onlyThere: 3 });
    expect(overlapOf({ users: 10, withUsers: null, both: null })).toBeNull();
  });
});
