import { describe, expect, it } from 'vitest';
import { needOfRaise, raisableTo } from './raised-budgets.ts';

const before = [
  { country: 'ID', units: 400 },
  { country: 'SG', units: 1000 },
];
const rules = [{ unitsAbove: 2000, approvers: 1 }];
const none = { before, approved: [] };

describe('how far a budget may be raised', () => {
  it('is as far as the budgets of all countries together need no approval', () => {
    expect(raisableTo(rules, none, 'SG')).toBe(1600);
    expect(raisableTo(rules, none, 'ID')).toBe(1000);
  });

  it('is exactly where the raise itself begins to need one', () => {
    const needed = (units: number) => needOfRaise(rules, { ...none, wanted: [{ country: 'SG', units }] }).approvers;
    expect([needed(1600), needed(1601)]).toEqual([0, 1]);
  });

  it('is as far as it was approved', () => {
    expect(raisableTo(rules, { before, approved: [{ country: 'SG', units: 5000 }] }, 'SG')).toBe(5000);
  });

  it('is what there is, where every raise needs an approval', () => {
    expect(raisableTo([{ approvers: 2 }], none, 'SG')).toBe(1000);
  });

  it.each([
    ['nothing is asked for', []],
    ['another country is asked about', [{ countries: ['VN'], unitsAbove: 0, approvers: 1 }]],
    ['only users count', [{ usersAbove: 10, approvers: 1 }]],
  ])('is any number where %s', (_why, asked) => {
    expect(raisableTo(asked, none, 'SG')).toBeNull();
  });
});
