import {
  approvalNeed,
  type ApprovalNeed,
  type ApprovalRule,
  type StartedSum,
} from '../../../../shared/domain/approval/approval-policy.ts';
import { costTermsOf, reachOf, type StepPrices } from '../../../../shared/domain/approval/user-bounds.ts';
import { budgetWords, resized, sizeOf, type BudgetLimit } from '../../../../shared/domain/run/budgets.ts';
import type { ApprovedBudgets } from './approvals.port.ts';
import type { ChainStep } from '../../../../shared/contracts/campaigns/campaigns.ts';

interface Raised {
  before: readonly BudgetLimit[];
  wanted: readonly BudgetLimit[];
  /** Null if no approval of the campaign was ever given. */
  approved: ApprovedBudgets | null;
  chain: readonly Pick<ChainStep, 'unitsPerUser'>[];
  prices: StepPrices;
  /** Sums of starts without an approval, except runs of this campaign. */
  sums: readonly StartedSum[];
}

/**
 * Returns the approvers that a raise of budgets needs after the campaign was started. Up to the approved budgets it
 * needs none. Beyond them it needs as many as the rules require for all budgets together, and no fewer than the
 * approval did.
 */
export function needOfRaise(rules: readonly ApprovalRule[], raised: Raised): ApprovalNeed {
  const { before, wanted, approved, chain, prices, sums } = raised;
  const isBeyond = (budget: BudgetLimit) =>
    sizeOf(budget) > sizeIn(before, budget.country) && sizeOf(budget) > sizeIn(approved?.budgets ?? [], budget.country);
  const larger = wanted.filter(isBeyond);
  if (larger.length === 0) return { approvers: 0, why: [] };
  const budgets = withChanges(before, wanted);
  // Computes everything that the budgets allow to be spent, by any number of users.
  const everybody = Object.fromEntries(budgets.map(({ country }) => [country, Infinity]));
  const reach = reachOf(everybody, costTermsOf({ chain, budgets }, prices));
  const asked = approvalNeed(
    rules,
    reach.map((each) => ({ ...each, users: 0 })),
    sums,
  );
  if (approved === null || asked.approvers >= approved.approvers) return asked;
  return { approvers: approved.approvers, why: larger.map((budget) => beyondWords(budget, approved.budgets)) };
}

/** Returns all budgets with the changes of some; countries without a budget get none. */
export function withChanges(before: readonly BudgetLimit[], wanted: readonly BudgetLimit[]): BudgetLimit[] {
  return before.map((budget) => wanted.find(({ country }) => country === budget.country) ?? budget);
}

function beyondWords(budget: BudgetLimit, approved: readonly BudgetLimit[]): string {
  const covered = approved.find(({ country }) => country === budget.country);
  const bound = covered ? `the approved ${budgetWords(covered)}` : 'what was approved';
  return `${budgetWords(budget)} of ${budget.country} are beyond ${bound}`;
}

function sizeIn(budgets: readonly BudgetLimit[], of: string): bigint {
  const budget = budgets.find(({ country }) => country === of);
  return budget ? sizeOf(budget) : 0n;
}

/** Largest possible budgets. */
const most = { units: BigInt(Number.MAX_SAFE_INTEGER), millionths: 10n ** 18n };

/**
 * Returns the size up to which a country's budget may be raised without an approval; null if unbounded. Never less than
 * the current budget, which remains in force.
 */
export function raisableTo(
  rules: readonly ApprovalRule[],
  { before, ...terms }: Omit<Raised, 'wanted'>,
  of: string,
): BudgetLimit | null {
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
