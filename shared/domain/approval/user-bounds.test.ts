import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { approvalNeed } from './approval-policy.ts';
import { clearanceOf } from './clearance.ts';
import {
  amountAtMostOf,
  costTermsOf,
  isWithinBounds,
  noPrices,
  reachOf,
  widestWithoutApproval,
} from './user-bounds.ts';

const free = costTermsOf({ chain: [] }, noPrices);
const above = (usersAbove: number, approvers = 1) => ({ usersAbove, approvers });

describe('what users may come to', () => {
  it('is the units of all steps together, and never more than the budget of their country', () => {
    const chain = [{ unitsPerUser: 2 }, {}, { unitsPerUser: 1 }];
    const terms = costTermsOf({ chain, budgets: [{ country: 'SG', units: 100 }] }, noPrices);
    const none = { millionths: 0n, currency: null };
    expect(reachOf({ SG: 50, ID: 50 }, terms)).toEqual([
      { country: 'SG', users: 50, units: 100, ...none },
      { country: 'ID', users: 50, units: 150, ...none },
    ]);
  });

  it('is money too, at the prices of now, and never more than a budget lets be spent of it', () => {
    const chain = [{ unitsPerUser: 2 }, {}, { unitsPerUser: 1 }];
    const budgets = [
      { country: 'SG', units: 100 },
      { country: 'VN', amount: '50.00', currency: 'EUR' },
    ];
    const terms = costTermsOf({ chain, budgets }, { currency: 'EUR', steps: ['0.50', null, '0.10'] });
    const of = reachOf({ SG: 50, ID: 50, VN: 1000 }, terms);
    // Of SG at most 100 of the dearest units; of VN as many units as 50.00 buys of the cheapest.
    expect(of.map(({ units, millionths }) => [units, millionths])).toEqual([
      [100, 50_000_000n],
      [150, 55_000_000n],
      [500, 50_000_000n],
    ]);
    expect(amountAtMostOf({ SG: 50, ID: 50 }, terms)).toBe('105.00');
  });
});

describe('without anybody’s approval', () => {
  it('as many may run as the policy lets pass, in proportion', () => {
    expect(widestWithoutApproval([above(1000)], { SG: 100, ID: 300 }, free)).toEqual({ SG: 250, ID: 750 });
  });

  it('any number may, where no rule asks', () => {
    expect(widestWithoutApproval([], { SG: 100 }, free)).toBeNull();
    expect(widestWithoutApproval([{ countries: ['VN'], approvers: 1 }], { SG: 100 }, free)).toBeNull();
  });

  it('a country that nobody is known in has room too', () => {
    expect(widestWithoutApproval([above(1000)], { SG: 0 }, free)).toEqual({ SG: 1000 });
  });

  it('what is bounded so never needs an approval, and always has room for who is known', () => {
    const users = fc.dictionary(fc.constantFrom('SG', 'ID', 'VN'), fc.nat(100_000), { minKeys: 1 });
    const rule = fc.record({
      approvers: fc.integer({ min: 1, max: 3 }),
      usersAbove: fc.option(fc.nat(200_000), { nil: undefined }),
      unitsAbove: fc.nat(200_000),
      amountAbove: fc.option(fc.nat(200_000).map(String), { nil: undefined }),
      countries: fc.option(fc.uniqueArray(fc.constantFrom('SG', 'ID', 'VN'), { minLength: 1 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), users, fc.nat(3), (rules, known, unitsPerUser) => {
        const budgets = [{ country: 'SG', units: 5_000 }];
        const terms = costTermsOf({ chain: [{ unitsPerUser }], budgets }, { currency: 'EUR', steps: ['0.2'] });
        fc.pre(approvalNeed(rules, reachOf(known, terms)).approvers === 0);
        const bounds = widestWithoutApproval(rules, known, terms);
        if (bounds === null) return;
        expect(approvalNeed(rules, reachOf(bounds, terms)).approvers).toBe(0);
        expect(isWithinBounds(known, bounds)).toBe(true);
      }),
    );
  });
});

describe('whether something may begin', () => {
  const approval = { approvalId: 'a', usersAtMost: { SG: 2000 }, amountAtMost: null, given: 1 };

  it('by an approval that covers it, with no more users than that', () => {
    expect(clearanceOf([above(1000)], { SG: 1500 }, free, [approval])).toEqual({
      kind: 'clear',
      usersAtMost: { SG: 2000 },
      approvalId: 'a',
    });
  });

  it('not by one that covers fewer users, or another country', () => {
    const needed = { kind: 'needed', approvers: 1, why: ['more than 1,000 users'] };
    expect(clearanceOf([above(1000)], { SG: 2001 }, free, [approval])).toEqual(needed);
    expect(clearanceOf([above(1000)], { SG: 1500, ID: 1 }, free, [approval])).toEqual(needed);
  });

  it('not by one that too few have approved by the policy of now', () => {
    expect(clearanceOf([above(1000, 2)], { SG: 1500 }, free, [approval])).toMatchObject({ kind: 'needed' });
    expect(clearanceOf([above(1000, 2)], { SG: 1500 }, free, [{ ...approval, given: 2 }])).toMatchObject({
      kind: 'clear',
    });
  });

  it('without one where the policy asks for none, and then no further than that', () => {
    expect(clearanceOf([above(1000)], { SG: 1000 }, free, [])).toEqual({
      kind: 'clear',
      usersAtMost: { SG: 1000 },
      approvalId: null,
    });
    expect(clearanceOf([], { SG: 1e9 }, free, [])).toEqual({ kind: 'clear', usersAtMost: null, approvalId: null });
  });

  it('not by an approval of less money than it costs by now', () => {
    const terms = costTermsOf({ chain: [{ unitsPerUser: 1 }] }, { currency: 'EUR', steps: ['0.06'] });
    const of = (amountAtMost: string) =>
      clearanceOf([above(1000)], { SG: 1500 }, terms, [{ ...approval, amountAtMost }]);
    expect(of('120.00')).toMatchObject({ kind: 'clear', approvalId: 'a' });
    expect(of('119.99')).toMatchObject({ kind: 'needed' });
  });
});
