import { describe, expect, it } from 'vitest';
import type { OutcomeCounts } from './outcomes.ts';
import { columnsOf, zeroSentence } from './step-columns.ts';

const line: OutcomeCounts = {
  ...{ succeeded: 5, failed: 1, skipped: 0, suppressed: 0, heldOut: 0 },
  ...{ expired: 0, cancelled: 0, unknown: 0, pending: 3 },
};

describe('the columns of a step table', () => {
  it('are those of the mock for an ordinary live run', () => {
    expect(columnsOf([line], ['pending'])).toEqual([
      'succeeded',
      'failed',
      'skipped',
      'suppressed',
      'heldOut',
      'pending',
    ]);
  });

  it('never hide what somebody has', () => {
    const odd = { ...line, expired: 1, cancelled: 2, unknown: 3 };
    expect(columnsOf([line, odd], ['pending'])).toEqual([
      'succeeded',
      'failed',
      'expired',
      'cancelled',
      'unknown',
      'pending',
    ]);
  });

  it('are all there where everything has happened', () => {
    const all = { ...line, skipped: 1, suppressed: 1, heldOut: 1, expired: 1, cancelled: 2, unknown: 3 };
    expect(columnsOf([all], [])).toHaveLength(9);
  });
});

describe('what has no column', () => {
  it('is told to be 0', () => {
    expect(zeroSentence(columnsOf([line], ['pending']))).toBe('Expired, cancelled and unknown are 0.');
    expect(
      zeroSentence(['succeeded', 'failed', 'skipped', 'suppressed', 'expired', 'cancelled', 'unknown', 'pending']),
    ).toBe('Held out is 0.');
  });

  it('is not told where there is none', () => {
    const all = { ...line, skipped: 1, suppressed: 1, heldOut: 1, expired: 1, cancelled: 2, unknown: 3 };
    expect(zeroSentence(columnsOf([all], []))).toBe('');
  });
});
