import {
  approvalNeed,
  type ApprovalNeed,
  type ApprovalRule,
} from '../../../../shared/domain/approval/approval-policy.ts';
import type { Budget } from '../../../../shared/contracts/campaigns/campaigns.ts';

interface Raised {
  before: readonly Budget[];
  wanted: readonly Budget[];
  /** As they were approved; empty where they were not. */
  approved: readonly Budget[];
}

/**
 * What a raise of budgets of a campaign that was started needs: nothing up to what was approved, and nothing where all
 * of them together may be spent without an approval.
 */
export function needOfRaise(rules: readonly ApprovalRule[], { before, wanted, approved }: Raised): ApprovalNeed {
  const unitsIn = (of: readonly Budget[], country: string) => of.find((each) => each.country === country)?.units;
  const raised = wanted.filter(({ country, units }) => units > (unitsIn(before, country) ?? 0));
  const beyond = raised.filter(({ country, units }) => units > (unitsIn(approved, country) ?? 0));
  if (beyond.length === 0) return { approvers: 0, why: [] };
  const after = before.map(({ country, units }) => ({ country, users: 0, units: unitsIn(wanted, country) ?? units }));
  return approvalNeed(rules, after);
}

/**
 * How many units a country may be raised to without an approval, the others as they are; null where any number may be.
 * Never less than there are: what is in force stays so.
 */
export function raisableTo(
  rules: readonly ApprovalRule[],
  { before, approved }: Omit<Raised, 'wanted'>,
  country: string,
): number | null {
  const needsNone = (units: number) =>
    needOfRaise(rules, { before, wanted: [{ country, units }], approved }).approvers === 0;
  let [fits, tooMany] = [before.find((each) => each.country === country)?.units ?? 0, Number.MAX_SAFE_INTEGER];
  if (needsNone(tooMany)) return null;
  while (tooMany - fits > 1) {
    const middle = fits + Math.floor((tooMany - fits) / 2);
    if (needsNone(middle)) fits = middle;
    else tooMany = middle;
  }
  return fits;
}
