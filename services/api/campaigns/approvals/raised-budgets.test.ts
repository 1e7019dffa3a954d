import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/properties.ts';
import { approvalNeedOfRaise, findFreeRaise } from './raised-budgets.ts';

const before = [
  { country: 'ID', units: 400 },
  { country: 'SG', units: 1000 },
];
const rules = [{ unitsAbove: 2000, approvers: 1 }];
const [chain, prices] = [[{ unitsPerUser: 2 }], { currency: 'EUR', steps: ['0.50'] }];
const none = { before, approved: null, chain, prices, unapprovedStarts: [] };
const approved = { budgets: [{ country: 'SG', units: 5000 }], approvers: 2 };

describe('the largest budget that needs no approval', () => {
  it('is the largest size for which the budgets of all countries together need no approval', () => {
    expect(findFreeRaise(rules, none, 'SG')).toEqual({ country: 'SG', units: 1600 });
    expect(findFreeRaise(rules, none, 'ID')).toEqual({ country: 'ID', units: 1000 });
  });

  it('is exact: a raise by one more unit needs an approval', () => {
    const needed = (units: number) =>
      approvalNeedOfRaise(rules, { ...none, wanted: [{ country: 'SG', units }] }).approvers;
    expect([needed(1600), needed(1601)]).toEqual([0, 1]);
  });

  it('decreases by the units that other campaigns have started without an approval', () => {
    const reach = [{ country: 'VN', users: 900, units: 500, millionths: 0n, currency: null }];
    const unapprovedStarts = [{ words: 'by mei', country: null, reach }];
    expect(findFreeRaise(rules, { ...none, unapprovedStarts }, 'SG')).toEqual({
      country: 'SG',
      units: 1100,
    });
    const { why } = approvalNeedOfRaise(rules, {
      ...none,
      unapprovedStarts,
      wanted: [{ country: 'SG', units: 1101 }],
    });
    expect(why).toEqual([
      'more than 2,000 units within 24 hours by mei: 500 units set going without approval already, 1,501 units with this',
    ]);
  });

  it('is the approved budget if the budget was approved', () => {
    expect(findFreeRaise(rules, { ...none, approved }, 'SG')).toEqual({ country: 'SG', units: 5000 });
  });

  it('is the approved budget whichever rule required the approval', () => {
    for (const someRules of [[], [{ usersAbove: 10, approvers: 1 }], [{ countries: ['VN'], approvers: 1 }]])
      expect(findFreeRaise(someRules, { ...none, approved }, 'SG')).toEqual({ country: 'SG', units: 5000 });
  });

  it('is the current budget if the approval is no longer in force', () => {
    const gone = { ...approved, budgets: [] };
    expect(findFreeRaise([], { ...none, approved: gone }, 'SG')).toEqual({ country: 'SG', units: 1000 });
  });

  it('is the current budget if every raise needs an approval', () => {
    expect(findFreeRaise([{ approvers: 2 }], none, 'SG')).toEqual({ country: 'SG', units: 1000 });
  });

  it.each([
    ['there are no rules', []],
    ['the rules are for another country', [{ countries: ['VN'], unitsAbove: 0, approvers: 1 }]],
    ['the rules limit only users', [{ usersAbove: 10, approvers: 1 }]],
  ])('has no bound if %s', (_why, someRules) => {
    expect(findFreeRaise(someRules, none, 'SG')).toBeNull();
  });

  it('is an exact amount for a budget in money, down to a millionth', () => {
    const budget = { country: 'SG', amount: '100.00', currency: 'EUR' };
    const inMoney = { ...none, before: [budget] };
    const freeRaise = (rule: object) => findFreeRaise([{ approvers: 1, ...rule }], inMoney, 'SG');
    expect(freeRaise({ amountAbove: '250.00' })).toEqual({ ...budget, amount: '250.00' });
    // At 0.50 a unit, 600 units cost 300.00, and amounts below 300.50 buy no further unit.
    expect(freeRaise({ unitsAbove: 600 })).toEqual({ ...budget, amount: '300.499999' });
    expect(freeRaise({ usersAbove: 10 })).toBeNull();
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
  const unitsIn = (list: readonly { country: string; units: number }[], country: string) =>
    list.find((each) => each.country === country)?.units ?? 0;

  it('needs as many approvers as the earlier approval, whatever the rules; up to the approved budget it needs none', () => {
    fc.assert(
      fc.property(cases, ({ rules: someRules, before: now, wanted, covered, approvers }) => {
        const terms = { before: now, wanted, chain, prices, unapprovedStarts: [] };
        const bound = { budgets: covered ?? [], approvers };
        const need = approvalNeedOfRaise(someRules, { ...terms, approved: bound });
        const isBeyond = wanted.some(
          ({ country, units }) => units > unitsIn(now, country) && units > unitsIn(covered ?? [], country),
        );
        const byRules = approvalNeedOfRaise(someRules, { ...terms, approved: null });
        expect(need.approvers).toBe(isBeyond ? Math.max(approvers, byRules.approvers) : 0);
        expect(need.why.length > 0).toBe(isBeyond);
      }),
      { numRuns: 500 },
    );
  });

  it('is above the largest budget that needs no approval', () => {
    fc.assert(
      fc.property(cases, ({ rules: someRules, before: now, covered, approvers }) => {
        const terms = {
          before: now,
          chain,
          prices,
          unapprovedStarts: [],
          approved: { budgets: covered ?? [], approvers },
        };
        for (const country of countries) {
          const most = Math.max(unitsIn(now, country), unitsIn(covered ?? [], country));
          expect(findFreeRaise(someRules, terms, country)).toEqual({ country, units: most });
        }
      }),
    );
  });
});
