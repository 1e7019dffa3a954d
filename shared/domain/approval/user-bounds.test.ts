import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { approvalNeed } from './approval-policy.ts';
import { clearanceNeed, clearanceOf } from './clearance.ts';
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

describe('the reach of a campaign in users, units and cost', () => {
  it('includes the units of all steps, at most the budget of the country', () => {
    const chain = [{ unitsPerUser: 2 }, {}, { unitsPerUser: 1 }];
    const terms = costTermsOf({ chain, budgets: [{ country: 'SG', units: 100 }] }, noPrices);
    const none = { millionths: 0n, currency: null };
    expect(reachOf({ SG: 50, ID: 50 }, terms)).toEqual([
      { country: 'SG', users: 50, units: 100, ...none },
      { country: 'ID', users: 50, units: 150, ...none },
    ]);
  });

  it('includes the cost at current prices, at most the budget of the country', () => {
    const chain = [{ unitsPerUser: 2 }, {}, { unitsPerUser: 1 }];
    const budgets = [
      { country: 'SG', units: 100 },
      { country: 'VN', amount: '50.00', currency: 'EUR' },
    ];
    const terms = costTermsOf({ chain, budgets }, { currency: 'EUR', steps: ['0.50', null, '0.10'] });
    const of = reachOf({ SG: 50, ID: 50, VN: 1000 }, terms);
    // SG has at most 100 of the dearest units; VN as many of the cheapest units as 50.00 buys.
    expect(of.map(({ units, millionths }) => [units, millionths])).toEqual([
      [100, 50_000_000n],
      [150, 55_000_000n],
      [500, 50_000_000n],
    ]);
    expect(amountAtMostOf({ SG: 50, ID: 50 }, terms)).toBe('105.00');
  });
});

describe('the number of users allowed without an approval', () => {
  it('grows in proportion up to the limit of the policy', () => {
    expect(widestWithoutApproval([above(1000)], { SG: 100, ID: 300 }, free)).toEqual({ SG: 250, ID: 750 });
  });

  it('is unlimited if no rule applies', () => {
    expect(widestWithoutApproval([], { SG: 100 }, free)).toBeNull();
    expect(widestWithoutApproval([{ countries: ['VN'], approvers: 1 }], { SG: 100 }, free)).toBeNull();
  });

  it('includes a country without known users', () => {
    expect(widestWithoutApproval([above(1000)], { SG: 0 }, free)).toEqual({ SG: 1000 });
  });

  it('never needs an approval and includes all known users', () => {
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

describe('the clearance of a campaign', () => {
  const approval = {
    approvalId: 'a',
    isInForce: true,
    given: 1,
    needed: 1,
    usersAtMost: { SG: 2000 },
    amountAtMost: null,
  };

  it('is given by an approval that covers its users, and limits the users to the approval', () => {
    expect(clearanceOf([above(1000)], { SG: 1500 }, free, [approval])).toEqual({
      kind: 'clear',
      usersAtMost: { SG: 2000 },
      approvalId: 'a',
    });
  });

  it('is not given by an approval of fewer users or of another country', () => {
    const needed = { kind: 'needed', approvers: 1, why: ['more than 1,000 users'] };
    expect(clearanceOf([above(1000)], { SG: 2001 }, free, [approval])).toEqual(needed);
    expect(clearanceOf([above(1000)], { SG: 1500, ID: 1 }, free, [approval])).toEqual(needed);
  });

  it('is not given by an approval with fewer approvers than the current policy requires', () => {
    expect(clearanceOf([above(1000, 2)], { SG: 1500 }, free, [approval])).toMatchObject({ kind: 'needed' });
    expect(clearanceOf([above(1000, 2)], { SG: 1500 }, free, [{ ...approval, given: 2 }])).toMatchObject({
      kind: 'clear',
    });
  });

  it('is given without an approval if the policy requires none, and limits the users to the policy', () => {
    expect(clearanceOf([above(1000)], { SG: 1000 }, free, [])).toEqual({
      kind: 'clear',
      usersAtMost: { SG: 1000 },
      approvalId: null,
    });
    expect(clearanceOf([], { SG: 1e9 }, free, [])).toEqual({ kind: 'clear', usersAtMost: null, approvalId: null });
  });

  it('is not given by an approval of less money than the campaign costs now', () => {
    const terms = costTermsOf({ chain: [{ unitsPerUser: 1 }] }, { currency: 'EUR', steps: ['0.06'] });
    const of = (amountAtMost: string) =>
      clearanceOf([above(1000)], { SG: 1500 }, terms, [{ ...approval, amountAtMost }]);
    expect(of('120.00')).toMatchObject({ kind: 'clear', approvalId: 'a' });
    expect(of('119.99')).toMatchObject({ kind: 'needed' });
  });

  it('is not given beyond an approval, even if no rule requires one any more', () => {
    const more = { kind: 'needed', approvers: 2, why: ['more than was approved'] };
    const two = { ...approval, given: 2, needed: 2 };
    expect(clearanceOf([], { SG: 2001 }, free, [two])).toEqual(more);
    expect(clearanceOf([above(5000)], { SG: 1, ID: 1 }, free, [two])).toEqual(more);
    expect(clearanceOf([], { SG: 2000 }, free, [two])).toMatchObject({ kind: 'clear', usersAtMost: { SG: 2000 } });
  });

  it('is limited to the users of an existing approval, even if the campaign needs none', () => {
    const requested = { countries: ['SG'], unitsAbove: 10, approvers: 2 };
    const terms = costTermsOf({ chain: [{ unitsPerUser: 1 }] }, { currency: null, steps: [] });
    const clear = clearanceOf([requested], { SG: 5 }, terms, [{ ...approval, usersAtMost: { SG: 2000 } }]);
    expect(clear).toEqual({ kind: 'clear', usersAtMost: { SG: 10 }, approvalId: null });
    const fewer = clearanceOf([requested], { SG: 5 }, terms, [{ ...approval, usersAtMost: { SG: 8 }, given: 0 }]);
    expect(fewer).toMatchObject({ kind: 'clear', usersAtMost: { SG: 8 } });
  });

  it('is not given by an approval that is no longer in force, but stays limited by that approval', () => {
    const over = { ...approval, isInForce: false, needed: 2, given: 2 };
    expect(clearanceOf([above(1000)], { SG: 1500 }, free, [over])).toMatchObject({ kind: 'needed', approvers: 1 });
    expect(clearanceOf([], { SG: 2001 }, free, [over])).toMatchObject({ kind: 'needed', approvers: 2 });
    const within = { kind: 'clear', usersAtMost: { SG: 2000 }, approvalId: null };
    expect(clearanceOf([], { SG: 1500 }, free, [over])).toEqual(within);
  });

  describe('the clearance under any rules', () => {
    const count = fc.integer({ min: 0, max: 3000 });
    const perCountry = fc.record({ SG: count, ID: count });
    const anyRule = fc.record(
      {
        countries: fc.constantFrom(['SG'], ['ID'], ['SG', 'ID']),
        usersAbove: count,
        unitsAbove: count,
        amountAbove: count.map((amount) => `${amount}.00`),
        approvers: fc.integer({ min: 1, max: 5 }),
      },
      { requiredKeys: ['approvers'] },
    );
    const terms = costTermsOf({ chain: [{ unitsPerUser: 1 }] }, { currency: 'EUR', steps: ['0.50'] });
    const amountOf = ({ SG, ID }: { SG: number; ID: number }) => (SG + ID) * 0.5;
    const approvers = fc.integer({ min: 1, max: 5 });
    const anyApproval = fc
      .record({ isInForce: fc.boolean(), usersAtMost: perCountry, amount: count, needed: approvers })
      .map(({ amount, ...rest }) => ({ approvalId: 'a', ...rest, amountAtMost: `${amount}.00`, given: rest.needed }));
    const anyRules = fc.array(anyRule, { maxLength: 4 });

    it('needs as many approvers as the earlier approval if the users or the money of that approval are exceeded', () => {
      fc.assert(
        fc.property(anyRules, perCountry, anyApproval, (rules, users, one) => {
          const { usersAtMost, amountAtMost, needed, isInForce } = one;
          const judged = clearanceOf(rules, users, terms, [one]);
          const isBeyond = !isWithinBounds(users, usersAtMost) || amountOf(users) > Number(amountAtMost);
          const byRules = approvalNeed(rules, reachOf(users, terms)).approvers;
          if (judged.kind === 'needed') {
            expect(judged.approvers).toBe(Math.max(byRules, isBeyond ? needed : 0));
            return;
          }
          expect(isBeyond).toBe(false);
          expect(isInForce || judged.approvalId === null).toBe(true);
          expect(isWithinBounds(judged.usersAtMost ?? {}, usersAtMost)).toBe(true);
          expect(judged.usersAtMost).not.toBeNull();
        }),
        { numRuns: 500 },
      );
    });

    it('can be requested with at least as many users whenever the start needs an approval', () => {
      const approvals = fc.array(anyApproval, { maxLength: 3 });
      fc.assert(
        fc.property(anyRules, perCountry, perCountry, approvals, (rules, users, more, given) => {
          const judged = clearanceOf(rules, users, terms, given);
          fc.pre(judged.kind === 'needed');
          const request = { SG: users.SG + more.SG, ID: users.ID + more.ID };
          const { approvers } = clearanceNeed(rules, request, terms, given);
          expect(approvers).toBeGreaterThanOrEqual(judged.approvers);
        }),
        { numRuns: 500 },
      );
    });
  });
});
