import { describe, expect, it } from 'vitest';
import type { ApprovalPolicy } from '#client/types.gen.ts';
import type { HowMany } from '../audience/how-many.ts';
import { approvalAsk, type ApprovalAsk } from './approval-ask.ts';

const size: HowMany = { kind: 'counted', atLeast: 1200, atMost: 1200, at: null };
const asking = { countries: ['SG', 'VN'], approval: null };
type Rule = ApprovalPolicy['rules'][number];

describe('a start', () => {
  it.each<[string, Omit<Rule, 'approvers'>, ApprovalAsk]>([
    ['needs an approval by a rule without a size', {}, 'yes'],
    ['needs an approval above the users of a rule', { usersAbove: 1000 }, 'yes'],
    ['may need an approval below the users of a rule, by earlier starts', { usersAbove: 2000 }, 'maybe'],
    ['may need an approval by a rule for costs', { amountAbove: '10' }, 'maybe'],
    ['may need an approval by a rule for one of its countries', { countries: ['SG'], usersAbove: 1000 }, 'maybe'],
    ['needs no approval by a rule for other countries', { countries: ['ID'] }, 'no'],
  ])('%s', (_claim, rule, ask) => {
    expect(approvalAsk([{ ...rule, approvers: 1 }], asking, size)).toBe(ask);
  });

  it.each(['approved', 'waiting'] as const)('asks for no second approval while one is %s', (state) => {
    expect(approvalAsk([{ approvers: 1 }], { ...asking, approval: { state } }, size)).toBe('no');
  });

  it.each(['void', 'sent-back', 'withdrawn'] as const)('needs a new approval after one is %s', (state) => {
    expect(approvalAsk([{ approvers: 1 }], { ...asking, approval: { state } }, size)).toBe('yes');
  });
});
