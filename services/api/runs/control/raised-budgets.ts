import {
  approvalNeed,
  type ApprovalNeed,
  type ApprovalRule,
} from '../../../../shared/domain/approval/approval-policy.ts';
import { costTermsOf, reachOf, type StepPrices } from '../../../../shared/domain/approval/user-bounds.ts';
import { resized, sizeOf, type SaidBudget } from '../../../../shared/domain/run/budgets.ts';
import type { ChainStep } from '../../../../shared/contracts/campaigns/campaigns.ts';

interface Raised {
  before: readonly SaidBudget[];
  wanted: readonly SaidBudget[];
  /** As they were approved; empty where they were not. */
  approved: readonly SaidBudget[];
  /** What budgets are spent by. */
  chain: readonly Pick<ChainStep, 'unitsPerUser'>[];
  prices: StepPrices;
}

/**
 * What a raise of budgets of a campaign that was started needs: nothing up to what was approved, and nothing where all
 * of them together may be spent without an approval.
 */
export function needOfRaise(rules: readonly ApprovalRule[], raised: Raised): ApprovalNeed {
  const { before, wanted, approved, chain, prices } = raised;
  const isBeyond = (budget: SaidBudget) =>
    sizeOf(budget) > sizeIn(before, budget.country) && sizeOf(budget) > sizeIn(approved, budget.country);
  if (!wanted.some(isBeyond)) return { approvers: 0, why: [] };
  const budgets = before.map((budget) => wanted.find(({ country }) => country === budget.country) ?? budget);
  // All that they let be spent, by however many users.
  const everybody = Object.fromEntries(budgets.map(({ country }) => [country, Infinity]));
  const reach = reachOf(everybody, costTermsOf({ chain, budgets }, prices));
  return approvalNeed(
    rules,
    reach.map((each) => ({ ...each, users: 0 })),
  );
}

function sizeIn(budgets: readonly SaidBudget[], of: string): bigint {
  const budget = budgets.find(({ country }) => country === of);
  return budget ? sizeOf(budget) : 0n;
}

/** As large as budgets may be. */
const most = { units: BigInt(Number.MAX_SAFE_INTEGER), millionths: 10n ** 18n };

/**
 * How far a country's budget may be raised without an approval, the others as they are; null where it may be to any
 * size. Never less than it is: what is in force stays so.
 */
export function raisableTo(
  rules: readonly ApprovalRule[],
  { before, ...terms }: Omit<Raised, 'wanted'>,
  of: string,
): SaidBudget | null {
  const budget = before.find(({ country }) => country === of);
  if (!budget) return null;
  const needsNone = (size: bigint) =>
    needOfRaise(rules, { ...terms, before, wanted: [resized(budget, size)] }).approvers === 0;
  let [fits, tooMuch] = [sizeOf(budget), budget.amount === undefined ? most.units : most.millionths];
  if (needsNone(tooMuch)) return null;
  while (tooMuch - fits > 1n) {
    const middle = fits + (tooMuch - fits) / 2n;
    if (needsNone(middle)) fits = middle;
    else tooMuch = middle;
  }
  return resized(budget, fits);
}
