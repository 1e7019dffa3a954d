import type { ApprovalRule } from '../../../../shared/domain/approval/approval-policy.ts';
import type { Budget } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { BudgetFiguresShape, CampaignBudgetShape } from '../../../../shared/contracts/campaigns/budgets.ts';
import type { BudgetFigures } from './budget-store.port.ts';
import { raisableTo } from './raised-budgets.ts';

export function budgetView({ country, units, used, reserved, waitingBatches }: BudgetFigures): BudgetFiguresShape {
  return { country, units, used, reserved, left: units - used - reserved, waitingBatches };
}

/** With how far each may be raised. @param approved as they were approved; empty where they were not */
export function campaignBudgetsView(
  budgets: readonly BudgetFigures[],
  rules: readonly ApprovalRule[],
  approved: readonly Budget[],
): CampaignBudgetShape[] {
  return budgets.map((budget) => ({
    ...budgetView(budget),
    raisableTo: raisableTo(rules, { before: budgets, approved }, budget.country),
  }));
}
