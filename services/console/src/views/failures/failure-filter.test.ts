import { describe, expect, it } from 'vitest';
import { filterOf, filterWords, narrowest, usersOf } from './failure-filter.ts';

const failures = [
  { step: 1, country: 'ID', outcome: 'failed', reason: 'wallet-closed', users: 5, sample: [] },
  { step: 1, country: 'VN', outcome: 'failed', reason: 'wallet-closed', users: 7, sample: [] },
  { step: 2, country: 'VN', outcome: 'unknown', reason: 'muster.ambiguous-answer', users: 2, sample: [] },
] as const;

describe('a filter of failures', () => {
  it('is counted by the figures of the report', () => {
    expect(usersOf(failures, {})).toBe(14);
    expect(usersOf(failures, { country: 'VN' })).toBe(9);
    expect(usersOf(failures, { country: 'VN', outcome: 'failed' })).toBe(7);
    expect(usersOf(failures, { step: 2, reason: 'wallet-closed' })).toBe(0);
  });

  it('says nothing of what is not filtered, nor of the page', () => {
    expect(filterOf({ step: 1, country: undefined, cursor: 'abc' })).toEqual({ step: 1 });
  });

  it('is shown in words', () => {
    expect(filterWords({ step: 2, country: 'VN', reason: 'wallet-closed' })).toBe(
      'Step 2, country VN, reason wallet-closed.',
    );
    expect(filterWords({})).toBe('');
  });

  it('offers to drop what leaves most out', () => {
    expect(narrowest({ step: 2, country: 'VN', reason: 'wallet-closed' })).toEqual({
      words: 'wallet-closed',
      without: { step: 2, country: 'VN' },
    });
    expect(narrowest({ step: 2, country: 'VN' })).toEqual({ words: 'VN', without: { step: 2 } });
    expect(narrowest({ outcome: 'unknown' })).toEqual({ words: 'unknown', without: {} });
    expect(narrowest({})).toBeNull();
  });
});
