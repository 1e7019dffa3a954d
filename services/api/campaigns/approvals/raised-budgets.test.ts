import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/properties.ts';
import { needOfRaise, raisableTo } from './raised-budgets.ts';

const before = [
  { country: 'ID', units: 400 },
  { country: 'SG', units: 1000 },
];
const rules = [{ unitsAbove: 2000, approvers: 1 }];
const [chain, prices] = [[{ unitsPerUser: 2 }], { currency: 'EUR', steps: ['0.50'] }];
const none = { before, approved: null, chain, prices, sums: [] };
const approved = { budgets: [{ country: 'SG', units: 5000 }], approvers: 2 };

describe('how far a budget may be raised', () => {
  it('is as far as the budgets of all countries together need no approval', () => {
    expect(raisableTo(rules, none, 'SG')).toEqual({ country: 'SG', units: 1600 });
    expect(raisableTo(rules, none, 'ID')).toEqual({ country: 'ID', units: 1000 });
  });

  it('is exactly where the raise itself begins to need one', () => {
    const needed = (units: number) => needOfRaise(rules, { ...none, wanted: [{ country: 'SG', units }] }).approvers;
    expect([needed(1600), needed(1601)]).toEqual([0, 1]);
  });

  it('shrinks by the units that others have started without an approval', () => {
    const reach = [{ country: 'VN', users: 900, units: 500, millionths: 0n, currency: null }];
    const sums = [{ words: 'by mei', country: null, reach }];
    expect(raisableTo(rules, { ...none, sums }, 'SG')).toEqual({ country: 'SG', units: 1100 });
    const { why } = needOfRaise(rules, { ...none, sums, wanted: [{ country: 'SG', units: 1101 }] });
    expect(why).toEqual([
      'more than 2,000 units within 24 hours by mei: 500 units set going without approval already, 1,501 units with this',
    ]);
  });

  it('is as far as it was approved', () => {
    expect(raisableTo(rules, { ...none, approved }, 'SG')).toEqual({ country: 'SG', units: 5000 });
  });

  it('is as far as it was approved, whichever rule asked for the approval', () => {
    for (const asked of [[], [{ usersAbove: 10, approvers: 1 }], [{ countries: ['VN'], approvers: 1 }]])
      expect(raisableTo(asked, { ...none, approved }, 'SG')).toEqual({ country: 'SG', units: 5000 });
  });

  it('is what there is, where the approval is not in force any more', () => {
    const gone = { ...approved, budgets: [] };
    expect(raisableTo([], { ...none, approved: gone }, 'SG')).toEqual({ country: 'SG', units: 1000 });
  });

  it('is what there is, where every raise needs an approval', () => {
    expect(raisableTo([{ approvers: 2 }], none, 'SG')).toEqual({ country: 'SG', units: 1000 });
  });

  it.each([
    ['nothing is asked for', []],
    ['another country is asked about', [{ countries: ['VN'], unitsAbove: 0, approvers: 1 }]],
    ['only users count', [{ usersAbove: 10, approvers: 1 }]],
  ])('is any number where %s', (_why, asked) => {
    expect(raisableTo(asked, none, 'SG')).toBeNull();
  });

  it('is so much money, to the last millionth, where the budget is in money', () => {
    const budget = { country: 'SG', amount: '100.00', currency: 'EUR' };
    const inMoney = { ...none, before: [budget] };
    const of = (rule: object) => raisableTo([{ approvers: 1, ...rule }], inMoney, 'SG');
    expect(of({ amountAbove: '250.00' })).toEqual({ ...budget, amount: '250.00' });
    // At 0.50 a unit, 600 units are bought by less than 300.50.
    expect(of({ unitsAbove: 600 })).toEqual({ ...budget, amount: '300.499999' });
    expect(of({ usersAbove: 10 })).toBeNull();
  });
});

describe('a raise beyond an approved budget', () => {
  const countries = ['ID', 'SG'];
  const size = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 10_000 }));
  const budgets = fc
    .tuple(size, size)
    .map((units) => countries.map((country, at) => ({ country, units: units[at] ?? 0 })));
  const rule = fc.record(
    {
      countries: fc.constantFrom(['SG'], ['ID'], ['VN'], countries),
      usersAbove: size,
      unitsAbove: size,
      amountAbove: size.map((amount) => `${amount}.00`),
      approvers: fc.integer({ min: 1, max: 5 }),
    },
    { requiredKeys: ['approvers'] },
  );
  const cases = fc.record({
    rules: fc.array(rule, { maxLength: 4 }),
    before: budgets,
    wanted: budgets.chain((all) => fc.shuffledSubarray(all, { minLength: 1 })),
    covered: fc.option(budgets),
    approvers: fc.integer({ min: 1, max: 5 }),
  });
  const unitsIn = (list: readonly { country: string; units: number }[], of: string) =>
    list.find(({ country }) => country === of)?.units ?? 0;

  it('needs as many approvers as the approval did, under any rules, and up to it none', () => {
    fc.assert(
      fc.property(cases, ({ rules: asked, before: now, wanted, covered, approvers }) => {
        const terms = { before: now, wanted, chain, prices, sums: [] };
        const bound = { budgets: covered ?? [], approvers };
        const need = needOfRaise(asked, { ...terms, approved: bound });
        const isBeyond = wanted.some(
          ({ country, units }) => units > unitsIn(now, country) && units > unitsIn(covered ?? [], country),
        );
        const byRules = needOfRaise(asked, { ...terms, approved: null });
        expect(need.approvers).toBe(isBeyond ? Math.max(approvers, byRules.approvers) : 0);
        expect(need.why.length > 0).toBe(isBeyond);
      }),
      { numRuns: 500 },
    );
  });

  it('is never within what a budget may be raised to alone', () => {
    fc.assert(
      fc.property(cases, ({ rules: asked, before: now, covered, approvers }) => {
        const terms = { before: now, chain, prices, sums: [], approved: { budgets: covered ?? [], approvers } };
        for (const country of countries) {
          const most = Math.max(unitsIn(now, country), unitsIn(covered ?? [], country));
          expect(raisableTo(asked, terms, country)).toEqual({ country, units: most });
        }
      }),
    );
  });
});
