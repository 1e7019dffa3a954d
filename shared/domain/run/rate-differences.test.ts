import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { compareRates } from './rate-differences.ts';

const compare = (a: readonly [number, number], b: readonly [number, number]) =>
  compareRates({ successes: a[0], users: a[1] }, { successes: b[0], users: b[1] }) ?? expect.fail();

const group = fc
  .integer({ min: 1, max: 10_000_000 })
  .chain((users) => fc.record({ users: fc.constant(users), successes: fc.nat(users) }));

describe('the interval of a difference of two rates', () => {
  // Newcombe 1998, table II, method 10.
  it.each([
    [[56, 70], [48, 80], 0.0524, 0.3339],
    [[9, 10], [3, 10], 0.1705, 0.809],
    [[6, 7], [2, 7], 0.0582, 0.8062],
    [[5, 56], [0, 29], -0.0381, 0.1926],
    [[0, 10], [0, 20], -0.1611, 0.2775],
    [[0, 10], [0, 10], -0.2775, 0.2775],
    [[10, 10], [0, 20], 0.6791, 1],
    [[10, 10], [0, 10], 0.6075, 1],
  ] as const)('is as published for %j against %j', (a, b, low, high) => {
    const found = compare(a, b);
    expect(found.difference).toBe(a[0] / a[1] - b[0] / b[1]);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });

  it('does not exist without users in both groups', () => {
    expect(compareRates({ successes: 0, users: 0 }, { successes: 5, users: 10 })).toBeNull();
    expect(compareRates({ successes: 5, users: 10 }, { successes: 0, users: 0 })).toBeNull();
  });

  it('ends exactly at 1 if all users of one group count and none of the other', () => {
    const users = fc.integer({ min: 1, max: 10_000_000 });
    fc.assert(
      fc.property(users, users, (a, b) => {
        expect(compare([a, a], [0, b]).high).toBe(1);
        expect(compare([0, a], [b, b]).low).toBe(-1);
      }),
    );
  });

  it('contains the difference and lies within −1 and 1', () => {
    fc.assert(
      fc.property(group, group, (a, b) => {
        const { difference, low, high } = compareRates(a, b) ?? expect.fail();
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(low).toBeLessThanOrEqual(difference);
        expect(high).toBeGreaterThanOrEqual(difference);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('changes its sign if the groups change places', () => {
    fc.assert(
      fc.property(group, group, (a, b) => {
        const there = compareRates(a, b) ?? expect.fail();
        const back = compareRates(b, a) ?? expect.fail();
        expect(back.difference).toBeCloseTo(-there.difference, 12);
        expect(back.low).toBeCloseTo(-there.high, 12);
        expect(back.high).toBeCloseTo(-there.low, 12);
        expect(back.neededUsers).toBe(there.neededUsers);
        const mirrored: Record<string, string> = { higher: 'lower', lower: 'higher' };
        expect(back.verdict).toBe(mirrored[there.verdict] ?? there.verdict);
      }),
    );
  });

  it('is narrower with more users at the same rates', () => {
    const small = fc
      .integer({ min: 1, max: 10_000 })
      .chain((users) => fc.record({ users: fc.constant(users), successes: fc.nat(users) }));
    fc.assert(
      fc.property(small, small, fc.integer({ min: 2, max: 100 }), (a, b, times) => {
        const grown = ({ successes, users }: typeof a) => ({ successes: successes * times, users: users * times });
        const before = compareRates(a, b) ?? expect.fail();
        const after = compareRates(grown(a), grown(b)) ?? expect.fail();
        expect(after.high - after.low).toBeLessThan(before.high - before.low);
      }),
    );
  });
});

describe('the users that a difference needs', () => {
  // As R's power.prop.test(p1, p2, power = 0.8), rounded up.
  it.each([
    [[50, 100], [60, 100], 388],
    [[10, 100], [12, 100], 3841],
    [[10, 100], [15, 100], 686],
  ] as const)('for %j against %j are those of the standard formula', (a, b, needed) => {
    expect(compare(a, b).neededUsers).toBe(needed);
    expect(compare(b, a).neededUsers).toBe(needed);
  });

  it('are at least 100, as the approximation is unreliable below', () => {
    expect(compare([2, 2], [0, 2])).toMatchObject({ neededUsers: 100, verdict: 'too-few-users' });
    expect(compare([99, 99], [0, 99]).verdict).toBe('too-few-users');
    expect(compare([100, 100], [0, 100]).verdict).toBe('higher');
  });

  it('are unknown for equal rates', () => {
    expect(compare([5, 10], [50, 100]).neededUsers).toBeNull();
  });
});

describe('the verdict on a difference', () => {
  it('comes only when the smaller group has the users that the difference needs', () => {
    expect(compare([1200, 10_000], [384, 3840])).toMatchObject({ neededUsers: 3841, verdict: 'too-few-users' });
    expect(compare([1200, 10_000], [385, 3850]).verdict).toBe('higher');
    expect(compare([385, 3850], [1200, 10_000]).verdict).toBe('lower');
  });

  it('is “no difference” if the interval excludes a difference of one percentage point', () => {
    expect(compare([45_000, 50_000], [45_000, 50_000])).toMatchObject({
      difference: 0,
      neededUsers: null,
      verdict: 'no-difference',
    });
    expect(compare([450, 500], [450, 500]).verdict).toBe('too-few-users');
  });

  it('excludes a difference of a tenth of a low rate before it is “no difference”', () => {
    // The interval of ±0.17 points lies within one point, but not within a tenth of 1 %.
    expect(compare([500, 50_000], [500, 50_000]).verdict).toBe('too-few-users');
    expect(compare([5000, 500_000], [5000, 500_000]).verdict).toBe('no-difference');
  });

  it('does not call rates of zero equal, however many users there are', () => {
    expect(compare([0, 1_000_000], [0, 1_000_000]).verdict).toBe('too-few-users');
  });
});
