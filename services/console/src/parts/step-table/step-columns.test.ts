import { describe, expect, it } from 'vitest';
import type { OutcomeCounts } from '../outcomes/outcomes.ts';
import { columnsOf, figureDigits, nameDigits, reportColumns, describeZeroColumns } from './step-columns.ts';

const line: OutcomeCounts = {
  succeeded: 5,
  failed: 1,
  skipped: 0,
  suppressed: 0,
  heldOut: 0,
  expired: 0,
  cancelled: 0,
  unknown: 0,
  pending: 3,
};

describe('the columns of a step table', () => {
  it('are succeeded, failed, skipped, suppressed, held out and pending for an ordinary live run', () => {
    expect(columnsOf([line], ['pending'])).toEqual([
      'succeeded',
      'failed',
      'skipped',
      'suppressed',
      'heldOut',
      'pending',
    ]);
  });

  it('always include an outcome with users', () => {
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

  it('include every outcome if all outcomes occur', () => {
    const all = { ...line, skipped: 1, suppressed: 1, heldOut: 1, expired: 1, cancelled: 2, unknown: 3 };
    expect(columnsOf([all], [])).toHaveLength(9);
  });
});

describe('the sentence about outcomes without a column', () => {
  it('lists these outcomes as 0', () => {
    expect(describeZeroColumns(columnsOf([line], ['pending']))).toBe('Expired, cancelled and unknown are 0.');
    expect(
      describeZeroColumns([
        'succeeded',
        'failed',
        'skipped',
        'suppressed',
        'expired',
        'cancelled',
        'unknown',
        'pending',
      ]),
    ).toBe('Held out is 0.');
  });

  it('is empty if every outcome has a column', () => {
    const all = { ...line, skipped: 1, suppressed: 1, heldOut: 1, expired: 1, cancelled: 2, unknown: 3 };
    expect(describeZeroColumns(columnsOf([all], []))).toBe('');
  });
});

describe('the step table of a report', () => {
  it('has every outcome, zeros included', () => {
    expect(reportColumns).toEqual([
      'succeeded',
      'failed',
      'skipped',
      'suppressed',
      'heldOut',
      'expired',
      'cancelled',
      'unknown',
    ]);
  });
});

describe('a column of figures', () => {
  it('has room for numbers up to the next thousands separator, so that it seldom changes during a run', () => {
    const widths = [0, 7, 999, 1000, 27_230, 999_999].map((users) => figureDigits('Failed', users, 3_400_000));
    expect(widths.map((digits) => digits.toFixed(2))).toEqual(['5.88', '5.88', '5.88', '7.00', '7.00', '7.00']);
  });

  it('is never wider than the audience needs, and never narrower than its head', () => {
    expect(figureDigits('Succeeded', 2_213_170, 3_400_000)).toBe(9);
    expect(figureDigits('Suppressed', 2_213_170, 3_400_000)).toBeCloseTo(9.8);
    expect(figureDigits('Pending', 5, 12)).toBeCloseTo(6.86);
  });
});

describe('the column of names', () => {
  it('is as wide as the longest step, up to a limit that leaves room for the bar', () => {
    const widthOf = (action: string) =>
      nameDigits([
        { step: 1, action: 'award' },
        { step: 2, action },
      ]);
    expect(widthOf('send-message')).toBeCloseTo(15.75);
    expect(widthOf('award-points-of-the-loyalty-programme')).toBe(widthOf('award-points-of-the-loyalty'));
  });
});
