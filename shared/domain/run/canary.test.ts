import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canaryShares } from './canary.ts';

describe('the canary users of a run', () => {
  it('are shared among the countries in proportion to their estimates if the canary is a number', () => {
    expect(canaryShares({ users: 1000 }, { SG: 100_000, ID: 300_000 })).toEqual({ SG: 250, ID: 750 });
    expect(canaryShares({ users: 10 }, { SG: 1, ID: 1, VN: 1 })).toEqual({ ID: 4, SG: 3, VN: 3 });
    expect(canaryShares({ users: 1 }, { SG: 10, ID: 300_000 })).toEqual({ SG: 0, ID: 1 });
  });

  it('are taken of each country, at least one user, if they are a percentage', () => {
    expect(canaryShares({ percent: 5 }, { SG: 1001, ID: 3 })).toEqual({ SG: 51, ID: 1 });
    expect(canaryShares({ percent: 0.1 }, { SG: 0 })).toEqual({ SG: 1 });
  });

  it('in a country without an estimate are the average of the others, or 1,000', () => {
    expect(canaryShares({ users: 30 }, { SG: 200, ID: null, VN: 400 })).toEqual({ SG: 7, ID: 10, VN: 13 });
    expect(canaryShares({ users: 9 }, { SG: null, ID: null, VN: 0 })).toEqual({ SG: 3, ID: 3, VN: 3 });
    expect(canaryShares({ percent: 5 }, { SG: null })).toEqual({ SG: 1000 });
  });

  it('add up to the number, for any countries', () => {
    const estimates = fc.dictionary(fc.stringMatching(/^[A-Z]{2}$/), fc.option(fc.nat(10_000_000)), { minKeys: 1 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), estimates, (users, known) => {
        const shares = Object.values(canaryShares({ users }, known));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(users);
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
