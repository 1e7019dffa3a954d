import type { BudgetFiguresShape } from '../../../shared/contracts/campaigns/budgets.ts';
import type { BudgetFigures } from './budget-store.port.ts';

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
