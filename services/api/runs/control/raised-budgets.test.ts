import { describe, expect, it } from 'vitest';
import { needOfRaise, raisableTo } from './raised-budgets.ts';

const before = [
  { country: 'ID', units: 400 },
  { country: 'SG', units: 1000 },
];
const rules = [{ unitsAbove: 2000, approvers: 1 }];
const [chain, prices] = [[{ unitsPerUser: 2 }], { currency: 'EUR', steps: ['0.50'] }];
const none = { before, approved: [], chain, prices };

describe('how far a budget may be raised', () => {
  it('is as far as the budgets of all countries together need no approval', () => {
    expect(raisableTo(rules, none, 'SG')).toEqual({ country: 'SG', units: 1600 });
    expect(raisableTo(rules, none, 'ID')).toEqual({ country: 'ID', units: 1000 });
  });

  it('is exactly where the raise itself begins to need one', () => {
    const needed = (units: number) => needOfRaise(rules, { ...none, wanted: [{ country: 'SG', units }] }).approvers;
    expect([needed(1600), needed(1601)]).toEqual([0, 1]);
  });

  it('is as far as it was approved', () => {
    expect(raisableTo(rules, { ...none, approved: [{ country: 'SG', units: 5000 }] }, 'SG')).toEqual({
      ...{ country: 'SG', units: 5000 },
    });
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
