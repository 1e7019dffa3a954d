import type { ApprovalRule } from '../../../../shared/domain/approval/approval-policy.ts';
import type { BudgetLimit } from '../../../../shared/domain/run/budgets.ts';
import type { BudgetFiguresShape, CampaignBudgetShape } from '../../../../shared/contracts/campaigns/budgets.ts';
import type { BudgetFigures } from './budget-store.port.ts';
import { raisableTo } from '../../campaigns/approvals/raised-budgets.ts';

export function budgetView({
  country,
  units,
  used,
  reserved,
  money,
  waitingBatches,
}: BudgetFigures): BudgetFiguresShape {
  const left = units === null ? null : units - (used ?? 0) - (reserved ?? 0);
  return { country, units, used, reserved, left, money, waitingBatches };
}

export function saidBudget({ country, units, money }: BudgetFigures): BudgetLimit {
  return money === null ? { country, units: units ?? 0 } : { country, amount: money.amount, currency: money.currency };
}

/** Returns budgets together with the limit to which each may be raised without a new approval. */
export function campaignBudgetsView(
  budgets: readonly BudgetFigures[],
  rules: readonly ApprovalRule[],
  terms: Omit<Parameters<typeof raisableTo>[1], 'before'>,
): CampaignBudgetShape[] {
  const before = budgets.map(saidBudget);
  return budgets.map((budget) => {
    const most = raisableTo(rules, { ...terms, before }, budget.country);
    return { ...budgetView(budget), raisableTo: most?.units ?? null, raisableToAmount: most?.amount ?? null };
  });
}
