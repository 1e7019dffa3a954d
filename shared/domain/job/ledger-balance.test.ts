import { describe, expect, it } from 'vitest';
import { ledgerDifference } from './ledger-balance.ts';

describe('the difference of a ledger', () => {
  it('is exact if all partitions were counted', () => {
    expect(ledgerDifference({ expected: 1000, counted: 1000, partitions: 64 })).toBe(0);
    expect(ledgerDifference({ expected: 1000, counted: 999, partitions: 64 })).toBe(-1);
    expect(ledgerDifference({ expected: 0, counted: 2, partitions: 64 })).toBe(2);
  });

  it('is 0 within the expected random deviation if only some partitions were counted', () => {
    // 10,000,000 jobs, an eighth of the partitions: 1,250,000 ± 5 × 1,046.
    const sample = { expected: 10_000_000, partitions: 8 };
    expect(ledgerDifference({ ...sample, counted: 1_254_000 })).toBe(0);
    expect(ledgerDifference({ ...sample, counted: 1_240_000 })).toBe(-10_000);
  });
});
