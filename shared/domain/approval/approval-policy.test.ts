import { describe, expect, it } from 'vitest';
import { approvalNeed, type ApprovalRule } from './approval-policy.ts';

const reach = (country: string, users: number, units = 0, millionths = 0n) => ({
  country,
  users,
  units,
  millionths,
  currency: 'EUR',
});

describe('what has to be approved', () => {
  const rules: ApprovalRule[] = [
    { usersAbove: 100_000, unitsAbove: 10_000, approvers: 1 },
    { usersAbove: 1_000_000, approvers: 2 },
  ];

  it.each([
    ['up to the numbers of a rule, nothing', [reach('SG', 60_000, 10_000), reach('ID', 40_000)], 0, []],
    ['more users over all countries', [reach('SG', 60_000), reach('ID', 40_001)], 1, ['more than 100,000 users']],
    ['more units', [reach('SG', 10, 10_001)], 1, ['more than 10,000 units']],
    ['both, told together', [reach('SG', 200_000, 20_000)], 1, ['more than 100,000 users', 'more than 10,000 units']],
    ['by the rule that asks for the most', [reach('SG', 1_000_001, 20_000)], 2, ['more than 1,000,000 users']],
    ['where nothing limits the units', [reach('SG', 1, Infinity)], 1, ['more than 10,000 units']],
  ])('%s', (_, of, approvers, why) => {
    expect(approvalNeed(rules, of)).toEqual({ approvers, why });
  });

  it('counts only the countries of a rule that has any', () => {
    const inIndonesia: ApprovalRule[] = [{ countries: ['ID', 'MY'], usersAbove: 100, approvers: 1 }];
    expect(approvalNeed(inIndonesia, [reach('SG', 5_000), reach('ID', 100)]).approvers).toBe(0);
    expect(approvalNeed(inIndonesia, [reach('ID', 101)])).toEqual({ approvers: 1, why: ['more than 100 users in ID'] });
    expect(approvalNeed(inIndonesia, [reach('SG', 5_000)]).approvers).toBe(0);
  });

  it('a rule without a number always asks', () => {
    expect(approvalNeed([{ countries: ['VN'], approvers: 2 }], [reach('VN', 0)])).toEqual({
      approvers: 2,
      why: ['every campaign in VN'],
    });
  });

  it('no rule asks for nothing', () => {
    expect(approvalNeed([], [reach('SG', Infinity, Infinity)])).toEqual({ approvers: 0, why: [] });
  });

  it('asks for what may cost more than an amount, in the words of the currency', () => {
    const dearer: ApprovalRule[] = [{ amountAbove: '10000.00', approvers: 2 }];
    const [sg, id] = [reach('SG', 1, 1, 6_000_000_000n), reach('ID', 1, 1, 4_000_000_000n)];
    expect(approvalNeed(dearer, [sg, id])).toEqual({ approvers: 0, why: [] });
    const more = { ...id, millionths: 4_000_000_001n };
    expect(approvalNeed(dearer, [sg, more])).toEqual({ approvers: 2, why: ['more than 10,000.00 EUR'] });
  });
});
