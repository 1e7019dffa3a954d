import { describe, expect, it } from 'vitest';
import { addsUp, outcomesIn, segmentsOf, type OutcomeCounts } from './outcomes.ts';

const nobody: OutcomeCounts = {
  pending: 0,
  unknown: 0,
  cancelled: 0,
  expired: 0,
  heldOut: 0,
  suppressed: 0,
  skipped: 0,
  failed: 0,
  succeeded: 0,
};

describe('an outcome bar', () => {
  it('shows outcomes in a fixed order, in any order of the input', () => {
    const segments = segmentsOf({ ...nobody, pending: 2, unknown: 1, failed: 1, succeeded: 4 });
    expect(segments.map(({ outcome }) => outcome)).toEqual(['succeeded', 'failed', 'unknown', 'pending']);
  });

  it('omits outcomes without users, and its shares add up to the whole', () => {
    const segments = segmentsOf({ ...nobody, succeeded: 3, heldOut: 1 });
    expect(segments).toEqual([
      { outcome: 'succeeded', users: 3, share: 0.75 },
      { outcome: 'heldOut', users: 1, share: 0.25 },
    ]);
  });

  it('has a segment for one user in a million', () => {
    expect(segmentsOf({ ...nobody, succeeded: 999_999, failed: 1 })).toHaveLength(2);
  });

  it('is empty while the audience has no users', () => {
    expect(segmentsOf(nobody)).toEqual([]);
  });

  it('shows no segment for a count below zero', () => {
    expect(segmentsOf({ ...nobody, succeeded: 5, pending: -1 })).toEqual([
      { outcome: 'succeeded', users: 5, share: 1 },
    ]);
  });
});

describe('the outcomes of several lines', () => {
  it('include each outcome that occurs in any line, and each outcome that is always shown', () => {
    const lines = [
      { ...nobody, expired: 1 },
      { ...nobody, succeeded: 1 },
    ];
    expect(outcomesIn(lines, ['failed'])).toEqual(['succeeded', 'failed', 'expired']);
  });
});

describe('a line of outcomes', () => {
  it('adds up if its outcomes sum up to the audience', () => {
    expect(addsUp({ ...nobody, audience: 10, succeeded: 7, failed: 2, pending: 1 })).toBe(true);
  });

  it('does not add up if a user is missing or was counted twice', () => {
    expect(addsUp({ ...nobody, audience: 10, succeeded: 7, failed: 2 })).toBe(false);
    expect(addsUp({ ...nobody, audience: 10, succeeded: 11, pending: -1 })).toBe(false);
  });
});
