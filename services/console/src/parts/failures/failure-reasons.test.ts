import { describe, expect, it } from 'vitest';
import {
  canRetry,
  comeAlong,
  failedUsers,
  outcomeCounts,
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
    ['of the later reasons', [{ failed: 4 }, { failed: 3 }], 10],
    ['of the later figures', [{ failed: 9 }, { failed: 3 }], 12],
  ])('are one number, that %s', (_which, steps, users) => {
    expect(failedUsers(steps, reasons)).toBe(users);
  });

  it('are counted apart from unknown outcomes', () => {
    expect(outcomeCounts(10, reasons)).toBe('10 failed, 2 unknown');
    expect(outcomeCounts(0, [])).toBe('0 failed');
  });
});

describe('failures by reason', () => {
  it('are summed up over the countries, with the one that has most of them first', () => {
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

  it('have the largest first, and do not swap where they are equal', () => {
    const rows = reasonRows([
      inCountry('ID', 2, { reason: 'b' }),
      inCountry('ID', 2, { reason: 'a' }),
      inCountry('ID', 5, { reason: 'c' }),
    ]);
    expect(rows.map(({ reason }) => reason)).toEqual(['c', 'a', 'b']);
  });
});

describe('trying failed users again', () => {
  const rows = reasonRows([
    inCountry('ID', 4),
    inCountry('ID', 3, { step: 2 }),
    inCountry('ID', 2, { reason: 'ledger-locked' }),
    inCountry('ID', 1, { reason: 'ledger-locked', step: 2 }),
  ]);
  const [first, second, third, fourth] = rows;
  if (!first || !second || !third || !fourth) throw new Error('four rows were shown');

  it('asks for the reasons and steps of the selected rows', () => {
    expect(retryRequest([third, first])).toEqual({ reasons: ['ledger-locked', 'wallet-closed'], steps: [1] });
    expect(comeAlong(rows, [third, first])).toEqual([]);
  });

  it('names the rows that come along, because reasons and steps are crossed', () => {
    expect(comeAlong(rows, [first, fourth])).toEqual([second, third]);
  });

  it('leaves out whose outcome nobody knows, and ids that can never be sent', () => {
    expect(canRetry({ outcome: 'unknown', reason: 'muster.ambiguous-answer' })).toBe(false);
    expect(canRetry({ outcome: 'failed', reason: 'muster.invalid-user-id' })).toBe(false);
    expect(canRetry({ outcome: 'failed', reason: 'wallet-closed' })).toBe(true);
  });
});
