import { describe, expect, it } from 'vitest';
import type { ApprovalPolicy } from '#client/types.gen.ts';
import type { UserCount } from '../audience/user-count.ts';
import { findApprovalNeed, type ApprovalNeed } from './approval-need.ts';

const size: UserCount = { kind: 'counted', atLeast: 1200, atMost: 1200, at: null };
const asking = { countries: ['SG', 'VN'], approval: null };
type Rule = ApprovalPolicy['rules'][number];

describe('the start of a campaign', () => {
  it.each<[string, Omit<Rule, 'approvers'>, ApprovalNeed]>([
    ['needs an approval by a rule without a size', {}, 'yes'],
    ['needs an approval above the users of a rule', { usersAbove: 1000 }, 'yes'],
    ['may need an approval below the users of a rule, by earlier starts', { usersAbove: 2000 }, 'maybe'],
    ['may need an approval by a rule for costs', { amountAbove: '10' }, 'maybe'],
    ['may need an approval by a rule for one of its countries', { countries: ['SG'], usersAbove: 1000 }, 'maybe'],
    ['needs no approval by a rule for other countries', { countries: ['ID'] }, 'no'],
  ])('%s', (_claim, rule, ask) => {
    expect(findApprovalNeed([{ ...rule, approvers: 1 }], asking, size)).toBe(ask);
  });

  it.each(['approved', 'waiting'] as const)('needs no second approval while one is %s', (state) => {
    expect(findApprovalNeed([{ approvers: 1 }], { ...asking, approval: { state } }, size)).toBe('no');
  });

  it.each(['void', 'sent-back', 'withdrawn'] as const)('needs a new approval after one is %s', (state) => {
    expect(findApprovalNeed([{ approvers: 1 }], { ...asking, approval: { state } }, size)).toBe('yes');
  });
});
