import { describe, expect, it } from 'vitest';
import { approvalNeed, type ApprovalRule } from './approval-policy.ts';

const reach = (country: string, users: number, units = 0, millionths = 0n) => ({
  country,
  users,
  units,
  millionths,
  currency: 'EUR',
});

describe('the need for approval', () => {
  const rules: ApprovalRule[] = [
    { usersAbove: 100_000, unitsAbove: 10_000, approvers: 1 },
    { usersAbove: 1_000_000, approvers: 2 },
  ];

  it.each([
    ['no approval up to the limits of a rule', [reach('SG', 60_000, 10_000), reach('ID', 40_000)], 0, []],
    ['the users over all countries', [reach('SG', 60_000), reach('ID', 40_001)], 1, ['more than 100,000 users']],
    ['the units', [reach('SG', 10, 10_001)], 1, ['more than 10,000 units']],
    [
      'users and units, with both reasons',
      [reach('SG', 200_000, 20_000)],
      1,
      ['more than 100,000 users', 'more than 10,000 units'],
    ],
    ['the rule with the most approvers', [reach('SG', 1_000_001, 20_000)], 2, ['more than 1,000,000 users']],
    ['unlimited units', [reach('SG', 1, Infinity)], 1, ['more than 10,000 units']],
  ])('includes the number of approvers and the reasons for %s', (_, of, approvers, why) => {
    expect(approvalNeed(rules, of)).toEqual({ approvers, why });
  });

  it('counts only the countries of a rule with countries', () => {
    const inIndonesia: ApprovalRule[] = [{ countries: ['ID', 'MY'], usersAbove: 100, approvers: 1 }];
    expect(approvalNeed(inIndonesia, [reach('SG', 5_000), reach('ID', 100)]).approvers).toBe(0);
    expect(approvalNeed(inIndonesia, [reach('ID', 101)])).toEqual({ approvers: 1, why: ['more than 100 users in ID'] });
    expect(approvalNeed(inIndonesia, [reach('SG', 5_000)]).approvers).toBe(0);
  });

  it('exists for every campaign under a rule without limits', () => {
    expect(approvalNeed([{ countries: ['VN'], approvers: 2 }], [reach('VN', 0)])).toEqual({
      approvers: 2,
      why: ['every campaign in VN'],
    });
  });

  it('does not exist without rules', () => {
    expect(approvalNeed([], [reach('SG', Infinity, Infinity)])).toEqual({ approvers: 0, why: [] });
  });

  it('exists for costs above an amount, with the reason in the currency', () => {
    const dearer: ApprovalRule[] = [{ amountAbove: '10000.00', approvers: 2 }];
    const [sg, id] = [reach('SG', 1, 1, 6_000_000_000n), reach('ID', 1, 1, 4_000_000_000n)];
    expect(approvalNeed(dearer, [sg, id])).toEqual({ approvers: 0, why: [] });
    const more = { ...id, millionths: 4_000_000_001n };
    expect(approvalNeed(dearer, [sg, more])).toEqual({ approvers: 2, why: ['more than 10,000.00 EUR'] });
  });
});
