import type { BudgetFigures } from '#client/types.gen.ts';
import { figuresOf } from './amounts.ts';

/** Budgets with less than this remaining share are shown as short. */
const smallShare = 0.1;

/** Returns true if batches wait for the budget, or little of it is left. */
export function isBudgetShort(budget: BudgetFigures): boolean {
  const { all, left } = figuresOf(budget);
  return budget.waitingBatches > 0 || left.number < all.number * smallShare;
}

/** Sorts budgets: those with waiting batches first, then by remaining share. */
export function sortByNeed<Budget extends BudgetFigures>(budgets: readonly Budget[]): Budget[] {
  const share = (budget: BudgetFigures) => {
    const { all, left } = figuresOf(budget);
    return all.number > 0 ? left.number / all.number : 0;
  };
  return budgets.toSorted((a, b) => Number(b.waitingBatches > 0) - Number(a.waitingBatches > 0) || share(a) - share(b));
}
