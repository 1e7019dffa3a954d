import {
  approvalNeed,
  type ApprovalNeed,
  type ApprovalRule,
  type UnapprovedStartTotal,
} from '../../../../shared/domain/approval/approval-policy.ts';
import { costTermsOf, reachOf, type StepPrices } from '../../../../shared/domain/approval/user-bounds.ts';
import { budgetWords, resized, sizeOf, type BudgetLimit } from '../../../../shared/domain/run/budgets.ts';
import type { ApprovedBudgets } from './approvals.port.ts';
import type { ChainStep } from '../../../../shared/contracts/campaigns/campaigns.ts';

interface Raised {
  before: readonly BudgetLimit[];
  wanted: readonly BudgetLimit[];
  /** Approved budgets; null if the campaign was never approved. */
  approved: ApprovedBudgets | null;
  chain: readonly Pick<ChainStep, 'unitsPerUser'>[];
  prices: StepPrices;
  /** Sums of starts without an approval; runs of this campaign are excluded. */
  unapprovedStarts: readonly UnapprovedStartTotal[];
}

/**
 * Returns the approvers that a raise of a started campaign's budgets needs. Up to the approved budgets, a raise needs
 * none. Beyond them, it needs as many as the rules require for all budgets together, but at least as many as the
 * earlier approval.
 */
export function approvalNeedOfRaise(rules: readonly ApprovalRule[], raised: Raised): ApprovalNeed {
  const { before, wanted, approved, chain, prices, unapprovedStarts } = raised;
  const isBeyond = (budget: BudgetLimit) =>
    sizeOf(budget) > sizeIn(before, budget.country) && sizeOf(budget) > sizeIn(approved?.budgets ?? [], budget.country);
  const larger = wanted.filter(isBeyond);
  if (larger.length === 0) return { approvers: 0, why: [] };
  const budgets = applyBudgets(before, wanted);
  // The rules are applied to everything that the budgets allow, without a bound on the number of users.
  const unboundedUsers = Object.fromEntries(budgets.map(({ country }) => [country, Infinity]));
  const reach = reachOf(unboundedUsers, costTermsOf({ chain, budgets }, prices));
  const need = approvalNeed(
    rules,
    reach.map((each) => ({ ...each, users: 0 })),
    unapprovedStarts,
  );
  if (approved === null || need.approvers >= approved.approvers) return need;
  return { approvers: approved.approvers, why: larger.map((budget) => describeExcess(budget, approved.budgets)) };
}

/** Returns all budgets with some of them changed. Countries without a budget stay without one. */
export function applyBudgets(before: readonly BudgetLimit[], wanted: readonly BudgetLimit[]): BudgetLimit[] {
  return before.map((budget) => wanted.find(({ country }) => country === budget.country) ?? budget);
}

function describeExcess(budget: BudgetLimit, approved: readonly BudgetLimit[]): string {
  const covered = approved.find(({ country }) => country === budget.country);
  const bound = covered ? `the approved ${budgetWords(covered)}` : 'what was approved';
  return `${budgetWords(budget)} of ${budget.country} are beyond ${bound}`;
}

function sizeIn(budgets: readonly BudgetLimit[], country: string): bigint {
  const budget = budgets.find((each) => each.country === country);
  return budget ? sizeOf(budget) : 0n;
}

/** Largest possible budgets, in units and in millionths of a currency. */
const largestBudget = { units: BigInt(Number.MAX_SAFE_INTEGER), millionths: 10n ** 18n };

/**
 * Returns the size up to which a country's budget may be raised without an approval; null if there is no bound. The
 * result is at least the current budget, which stays in force.
 */
export function findFreeRaise(
  rules: readonly ApprovalRule[],
  { before, ...terms }: Omit<Raised, 'wanted'>,
  country: string,
): BudgetLimit | null {
  const budget = before.find((each) => each.country === country);
  if (!budget) return null;
  const needsNone = (size: bigint) =>
    approvalNeedOfRaise(rules, { ...terms, before, wanted: [resized(budget, size)] }).approvers === 0;
  let [fits, exceeding] = [
    sizeOf(budget),
    budget.amount === undefined ? largestBudget.units : largestBudget.millionths,
  ];
  if (needsNone(exceeding)) return null;
  while (exceeding - fits > 1n) {
    const middle = fits + (exceeding - fits) / 2n;
    if (needsNone(middle)) fits = middle;
    else exceeding = middle;
  }
  return resized(budget, fits);
}
