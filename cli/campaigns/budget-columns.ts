import type { BudgetFigures } from '../../sdk/generated/types.gen.ts';
import { left, right, type ItemColumn } from '../show/tables.ts';

/** What each country may spend, and what of it is left. */
export const budgetColumns: readonly ItemColumn<BudgetFigures>[] = [
  left('budget', ({ country }) => country),
  right('units', ({ units }) => units),
  right('used', ({ used }) => used),
  right('reserved', ({ reserved }) => reserved),
  right('left', (budget) => budget.left, { tone: (budget) => (budget.left > 0 ? undefined : 'bad') }),
  right('batches waiting', ({ waitingBatches }) => waitingBatches, {
    tone: ({ waitingBatches }) => (waitingBatches === 0 ? 'faint' : 'bad'),
  }),
];
