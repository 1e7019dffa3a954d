import { describe, expect, it } from 'vitest';
import {
  canRetry,
  findImpliedRows,
  failedUsers,
  formatOutcomeCounts,
  reasonRows,
  retryRequest,
  type CountryReason,
} from './failure-reasons.ts';

function inCountry(country: string, users: number, change: Partial<CountryReason> = {}): CountryReason {
  return { step: 1, country, outcome: 'failed', reason: 'wallet-closed', users, sample: [`u-${country}`], ...change };
}

describe('the users who failed', () => {
  const reasons = [inCountry('ID', 3), inCountry('VN', 7), inCountry('SG', 2, { outcome: 'unknown' })];

  it.each([
    ['reasons', [{ failed: 4 }, { failed: 3 }], 10],
    ['figures', [{ failed: 9 }, { failed: 3 }], 12],
  ])('are counted from the newer of report figures and failure reasons: %s', (_which, steps, users) => {
    expect(failedUsers(steps, reasons)).toBe(users);
  });

  it('are counted separately from unknown outcomes', () => {
    expect(formatOutcomeCounts(10, reasons)).toBe('10 failed, 2 unknown');
    expect(formatOutcomeCounts(0, [])).toBe('0 failed');
  });
});

describe('failures by reason', () => {
  it('are added up over countries, the country with most users first', () => {
    const [row] = reasonRows([inCountry('ID', 3), inCountry('VN', 7), inCountry('SG', 1)]);
    expect(row).toMatchObject({
      users: 11,
      countries: [
        { country: 'VN', users: 7 },
        { country: 'ID', users: 3 },
        { country: 'SG', users: 1 },
      ],
      sample: ['u-ID', 'u-VN', 'u-SG'],
    });
  });

  it('keep steps and unknown outcomes apart', () => {
    const rows = reasonRows([
      inCountry('ID', 3),
      inCountry('ID', 2, { step: 2 }),
      inCountry('ID', 1, { outcome: 'unknown' }),
    ]);
    expect(rows.map(({ step, outcome, users }) => [step, outcome, users])).toEqual([
      [1, 'failed', 3],
      [2, 'failed', 2],
      [1, 'unknown', 1],
    ]);
  });

  it('are sorted by users, and reasons with equally many users keep their order', () => {
    const rows = reasonRows([
      inCountry('ID', 2, { reason: 'b' }),
      inCountry('ID', 2, { reason: 'a' }),
      inCountry('ID', 5, { reason: 'c' }),
    ]);
    expect(rows.map(({ reason }) => reason)).toEqual(['c', 'a', 'b']);
  });
});

describe('a retry of failed users', () => {
  const rows = reasonRows([
    inCountry('ID', 4),
    inCountry('ID', 3, { step: 2 }),
    inCountry('ID', 2, { reason: 'ledger-locked' }),
    inCountry('ID', 1, { reason: 'ledger-locked', step: 2 }),
  ]);
  const [first, second, third, fourth] = rows;
  if (!first || !second || !third || !fourth) throw new Error('four rows were shown');

  it('requests the reasons and steps of the selected rows', () => {
    expect(retryRequest([third, first])).toEqual({ reasons: ['ledger-locked', 'wallet-closed'], steps: [1] });
    expect(findImpliedRows(rows, [third, first])).toEqual([]);
  });

  it('includes the rows of each selected reason in each selected step', () => {
    expect(findImpliedRows(rows, [first, fourth])).toEqual([second, third]);
  });

  it('excludes unknown outcomes and invalid ids', () => {
    expect(canRetry({ outcome: 'unknown', reason: 'muster.ambiguous-answer' })).toBe(false);
    expect(canRetry({ outcome: 'failed', reason: 'muster.invalid-user-id' })).toBe(false);
    expect(canRetry({ outcome: 'failed', reason: 'wallet-closed' })).toBe(true);
  });
});
