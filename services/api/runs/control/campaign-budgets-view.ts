import type { ApprovalRule } from '../../../../shared/domain/approval/approval-policy.ts';
import type { BudgetLimit } from '../../../../shared/domain/run/budgets.ts';
import type { CampaignBudgetShape } from '../../../../shared/contracts/campaigns/budgets.ts';
import type { BudgetFigures } from '../budget-store.port.ts';
import { budgetView } from '../budget-view.ts';
import { findFreeRaise } from '../../campaigns/approvals/raised-budgets.ts';

export function budgetLimitOf({ country, units, money }: BudgetFigures): BudgetLimit {
  return money === null ? { country, units: units ?? 0 } : { country, amount: money.amount, currency: money.currency };
}

/** Returns the budgets, each with the limit up to which it can be raised without another approval. */
export function campaignBudgetsView(
  budgets: readonly BudgetFigures[],
  rules: readonly ApprovalRule[],
  terms: Omit<Parameters<typeof findFreeRaise>[1], 'before'>,
): CampaignBudgetShape[] {
  const before = budgets.map(budgetLimitOf);
  return budgets.map((budget) => {
    const most = findFreeRaise(rules, { ...terms, before }, budget.country);
    return { ...budgetView(budget), raisableTo: most?.units ?? null, raisableToAmount: most?.amount ?? null };
  });
}
