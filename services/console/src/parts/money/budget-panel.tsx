import type { ReactNode } from 'react';
import type { BudgetFigures } from '#client/types.gen.ts';
import { formatCount } from '../words/numbers.ts';
import { Panel } from '../panels/panel.tsx';
import { byNeed, isShort } from './budget-rows.ts';
import { figuresOf, formatIn, type ShownFigures } from './budget-words.ts';

interface BudgetPanelProps {
  budgets: readonly BudgetFigures[];
  actions?: ReactNode;
}

const shownAtMost = 8;

/** What of the campaign's budgets is used, and what is left, by country; nothing where it has none. */
export function BudgetPanel({ budgets, actions }: BudgetPanelProps) {
  if (budgets.length === 0) return null;
  const shown = budgets.length <= shownAtMost ? budgets : byNeed(budgets).slice(0, shownAtMost);
  const others = budgets.length - shown.length;
  const sums = [...Map.groupBy(budgets.map(figuresOf), ({ unit }) => unit)];
  return (
    <Panel
      title="Budget"
      note="of all runs of the campaign"
      actions={actions}
      footer={
        <>
          {sums.map(([unit, of]) => usedWords(unit, of)).join(' ')}
          {others > 0 && ` ${formatCount(others)} more countries have more left.`}
        </>
      }
    >
      <table className="sm [--row:27px] table-fixed">
        <colgroup>
          <col className="w-12" />
          <col />
          <col className="w-29" />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">Country</th>
            <th scope="col">Used</th>
            <th scope="col">Left</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((budget) => (
            <BudgetRow key={budget.country} budget={budget} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

/** Over all countries. */
function usedWords(unit: string, of: readonly ShownFigures[]): string {
  const sum = (name: 'all' | 'used' | 'reserved') => of.reduce((all, each) => all + each[name].number, 0);
  const reserved = sum('reserved');
  const [used, all] = [formatIn(unit, sum('used')).replace(/ \S+$/, ''), formatIn(unit, sum('all'))];
  return `${used} of ${all} used${reserved > 0 ? `, ${formatIn(unit, reserved)} reserved for calls under way` : ''}.`;
}

function BudgetRow({ budget }: { budget: BudgetFigures }) {
  const { country } = budget;
  const { all, used, reserved, left, unit } = figuresOf(budget);
  const isLow = isShort(budget);
  const share = all.number > 0 ? Math.min(100, ((used.number + reserved.number) / all.number) * 100) : 100;
  const words = `${used.text} used and ${reserved.text} reserved of ${all.text} ${unit}`;
  return (
    <tr title={words}>
      <th scope="row" className={isLow ? 'font-semibold' : ''}>
        {country}
      </th>
      <td>
        <div className="prog" role="img" aria-label={words}>
          <i style={{ width: `${share}%`, ...(isLow && { background: 'var(--warn)' }) }} />
        </div>
      </td>
      <td className={`text-right whitespace-nowrap ${isLow ? 'c-warn font-medium' : ''}`}>
        {left.number < 0 ? '0' : left.text} {unit === 'units' ? '' : `${unit} `}left
      </td>
    </tr>
  );
}
