import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { divideUsers } from './divide-users.ts';
import { isHeldOut } from './hold-out.ts';
import { isInPart, partsOf, shareOf } from './split.ts';

const users = Array.from({ length: 500 }, (_, i) => `user-${i}`);
const seeds = Array.from({ length: 1000 }, (_, i) => `seed-${i}`);

/**
 * Returns how many standard deviations a count lies from its expected value. With 4,000 counts, a correct split exceeds
 * 5 deviations with a probability below 0.3 %, and these seeds are fixed.
 */
function deviations(count: number, all: number, share: number): number {
  return Math.abs(count - all * share) / Math.sqrt(all * share * (1 - share));
}

describe('the split', () => {
  it('puts each user into exactly one part, always the same, for any weights and ids', () => {
    const weights = fc.uniqueArray(fc.integer({ min: 1, max: 9999 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), weights, (user, seed, cuts) => {
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), 10_000];
        const parts = partsOf(
          bounds.slice(1).map((bound, index) => bound - (bounds[index] ?? 0)),
          seed,
        );
        expect(parts.filter((part) => isInPart(part, user))).toHaveLength(1);
        expect(parts.findIndex((part) => isInPart(part, user))).toBe(parts.findIndex((part) => isInPart(part, user)));
      }),
    );
  });

  it('has parts within their binomial bounds for 1,000 seeds, and is stable', () => {
    const weights = [5000, 3000, 1500, 500];
    for (const seed of seeds) {
      const shares = users.map((user) => shareOf(seed, user));
      const parts = partsOf(weights, seed);
      const counts = parts.map(({ from, to }) => shares.filter((share) => share >= from && share < to).length);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(users.length);
      for (const [place, count] of counts.entries())
        expect(deviations(count, users.length, (weights[place] ?? 0) / 10_000)).toBeLessThan(5);
      expect(shareOf(seed, users[7] ?? '')).toBe(shares[7]);
    }
  });

  it('is independent of the hold-out and of other seeds, even if both have the same seed', () => {
    for (const seed of seeds.slice(0, 200)) {
      const [first] = partsOf([5000, 5000], seed);
      if (!first) throw new Error('no part');
      const held = users.filter((user) => isHeldOut({ percent: 20, seed }, user));
      const heldInFirst = held.filter((user) => isInPart(first, user)).length;
      expect(deviations(heldInFirst, held.length, 0.5)).toBeLessThan(5);
      const other = { ...first, seed: `${seed}-other` };
      const inBoth = users.filter((user) => isInPart(first, user) && isInPart(other, user)).length;
      expect(deviations(inBoth, users.length, 0.25)).toBeLessThan(5);
    }
  });

  it('follows the documented rule', () => {
    const digest = createHash('sha256').update('split\u0000december\u0000user-1').digest('hex').slice(0, 12);
    const share = Math.floor((Number.parseInt(digest, 16) / 2 ** 48) * 10_000);
    expect(shareOf('december', 'user-1')).toBe(share);
    expect(isInPart({ seed: 'december', from: share, to: share + 1 }, 'user-1')).toBe(true);
    expect(isInPart({ seed: 'december', from: 0, to: share }, 'user-1')).toBe(false);
    expect(isInPart({ seed: 'december', from: share + 1, to: 10_000 }, 'user-1')).toBe(false);
  });
});

describe('a number of users divided by weights', () => {
  it('has whole parts that add up to it, each less than one user from its exact share', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(1_000_000), weights, (all, each) => {
        const parts = divideUsers(all, each);
        const sum = each.reduce((total, weight) => total + weight, 0);
        expect(parts.reduce((total, part) => total + part, 0)).toBe(all);
        for (const [place, part] of parts.entries())
          expect(Math.abs(part - (all * (each[place] ?? 0)) / sum)).toBeLessThan(1);
      }),
    );
  });
});
