import type { BudgetFigures } from '#client/types.gen.ts';
import { figuresOf } from './budget-words.ts';

/** Below it, a budget will not last long. */
const smallShare = 0.1;

/** Something waits for it already, or will soon. */
export function isShort(budget: BudgetFigures): boolean {
  const { all, left } = figuresOf(budget);
  return budget.waitingBatches > 0 || left.number < all.number * smallShare;
}

/** Those that something waits for first, then by the share that is left. */
export function byNeed<Budget extends BudgetFigures>(budgets: readonly Budget[]): Budget[] {
  const share = (budget: BudgetFigures) => {
    const { all, left } = figuresOf(budget);
    return all.number > 0 ? left.number / all.number : 0;
  };
  return budgets.toSorted((a, b) => Number(b.waitingBatches > 0) - Number(a.waitingBatches > 0) || share(a) - share(b));
}
