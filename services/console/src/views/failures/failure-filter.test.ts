import { describe, expect, it } from 'vitest';
import { readFilter, describeFilter, findNarrowest, countUsers } from './failure-filter.ts';

const failures = [
  { step: 1, country: 'ID', outcome: 'failed', reason: 'wallet-closed', users: 5, sample: [] },
  { step: 1, country: 'VN', outcome: 'failed', reason: 'wallet-closed', users: 7, sample: [] },
  { step: 2, country: 'VN', outcome: 'unknown', reason: 'muster.ambiguous-answer', users: 2, sample: [] },
] as const;

describe('a filter of failures', () => {
  it('is counted with the figures of the report', () => {
    expect(countUsers(failures, {})).toBe(14);
    expect(countUsers(failures, { country: 'VN' })).toBe(9);
    expect(countUsers(failures, { country: 'VN', outcome: 'failed' })).toBe(7);
    expect(countUsers(failures, { step: 2, reason: 'wallet-closed' })).toBe(0);
    expect(countUsers(failures, { step: 2, batch: 7 })).toBeUndefined();
  });

  it('leaves out undefined fields and the cursor', () => {
    expect(readFilter({ step: 1, country: undefined, cursor: 'abc' })).toEqual({ step: 1 });
  });

  it('is described in words', () => {
    const clock = (instant: string) => instant.slice(11, 16);
    expect(describeFilter({ step: 2, country: 'VN', reason: 'wallet-closed' }, clock)).toBe(
      'Step 2, country VN, reason wallet-closed.',
    );
    const span = { failedFrom: '2026-11-22T19:40:00.000Z', failedUntil: '2026-11-22T19:45:00.000Z' };
    expect(describeFilter({ q: 'sg-0', batch: 7, ...span }, clock)).toBe(
      'User ids that begin with “sg-0”, batch 7, failed from 19:40 until 19:45.',
    );
    expect(describeFilter({}, clock)).toBe('');
  });

  it('offers to drop the part that excludes most users', () => {
    expect(findNarrowest({ step: 2, country: 'VN', reason: 'wallet-closed' })).toEqual({
      words: 'wallet-closed',
      without: { step: 2, country: 'VN' },
    });
    expect(findNarrowest({ q: 'sg-0', batch: 7 })).toEqual({ words: 'sg-0', without: { batch: 7 } });
    expect(findNarrowest({ failedFrom: 'a', failedUntil: 'b', step: 2 })).toEqual({
      words: 'the time',
      without: { step: 2 },
    });
    expect(findNarrowest({ step: 2, country: 'VN' })).toEqual({ words: 'VN', without: { step: 2 } });
    expect(findNarrowest({ outcome: 'unknown' })).toEqual({ words: 'unknown', without: {} });
    expect(findNarrowest({})).toBeNull();
  });
});
