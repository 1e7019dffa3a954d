import type { BudgetFiguresShape } from '../../shared/contracts/campaigns/budgets.ts';
import { count } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';

/** What each country may spend, and what of it is left. */
export function renderBudgets(budgets: readonly BudgetFiguresShape[], paint: Paint, width = Infinity): string {
  if (budgets.length === 0) return '';
  const right = (title: string): Column => ({ title, align: 'right' });
  const columns: Column[] = [
    { title: 'budget', align: 'left' },
    ...['units', 'used', 'reserved', 'left', 'batches waiting'].map(right),
  ];
  const rows = budgets.map(({ country, units, used, reserved, left, waitingBatches }) => [
    oneLine(country),
    count(units),
    count(used),
    count(reserved),
    left > 0 ? count(left) : paint.bad(count(left)),
    waitingBatches === 0 ? paint.faint('0') : paint.bad(count(waitingBatches)),
  ]);
  return renderTable(columns, rows, paint, width);
}
