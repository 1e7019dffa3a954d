import type { BudgetFigures } from '../../sdk/generated/types.gen.ts';
import { moneyWords } from '../../shared/domain/money/amounts.ts';
import { left, right, type ItemColumn } from './tables.ts';

/** Returns a renderer of one figure of a budget. Amounts of a monetary budget are formatted in its currency. */
const figure = (name: 'units' | 'used' | 'reserved' | 'left') => (budget: BudgetFigures) => {
  const { money } = budget;
  return money === null ? (budget[name] ?? '') : moneyWords(money[name === 'units' ? 'amount' : name], money.currency);
};

const isLeft = ({ left: units, money }: BudgetFigures) => (units ?? Number(money?.left)) > 0;

export const budgetColumns: readonly ItemColumn<BudgetFigures>[] = [
  left('budget', ({ country }) => country),
  right('units', figure('units')),
  right('used', figure('used')),
  right('reserved', figure('reserved')),
  right('left', figure('left'), { tone: (budget) => (isLeft(budget) ? undefined : 'bad') }),
  right('batches waiting', ({ waitingBatches }) => waitingBatches, {
    tone: ({ waitingBatches }) => (waitingBatches === 0 ? 'faint' : 'bad'),
  }),
];
