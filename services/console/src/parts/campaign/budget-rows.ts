import type { BudgetFigures } from '#client/types.gen.ts';

/** Below it, a budget will not last long. */
const smallShare = 0.1;

type Left = Pick<BudgetFigures, 'units' | 'left' | 'waitingBatches'>;

/** Something waits for it already, or will soon. */
export function isShort({ units, left, waitingBatches }: Left): boolean {
  return waitingBatches > 0 || left < units * smallShare;
}

/** Those that something waits for first, then by the share that is left. */
export function byNeed<Budget extends Left>(budgets: readonly Budget[]): Budget[] {
  const share = ({ units, left }: Left) => (units > 0 ? left / units : 0);
  return budgets.toSorted((a, b) => Number(b.waitingBatches > 0) - Number(a.waitingBatches > 0) || share(a) - share(b));
}
