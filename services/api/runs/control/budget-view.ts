import type { BudgetFiguresShape } from '../../../../shared/contracts/campaigns/budgets.ts';
import type { BudgetFigures } from './budget-store.port.ts';

export function budgetView({ country, units, used, reserved, waitingBatches }: BudgetFigures): BudgetFiguresShape {
  return { country, units, used, reserved, left: units - used - reserved, waitingBatches };
}
