import type { ReactNode } from 'react';
import type { BudgetFigures } from '#client/types.gen.ts';
import { formatCount } from '../words/numbers.ts';
import { Panel } from '../panels/panel.tsx';
import { byNeed, isShort } from './budget-rows.ts';

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
  const sum = (of: (budget: BudgetFigures) => number) => budgets.reduce((all, each) => all + of(each), 0);
  const reserved = sum((each) => each.reserved);
  return (
    <Panel
      title="Budget"
      note="units, of all runs of the campaign"
      actions={actions}
      footer={
        <>
          {formatCount(sum(({ used }) => used))} of {formatCount(sum(({ units }) => units))} used
          {reserved > 0 && `, ${formatCount(reserved)} reserved for calls under way`}.
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

function BudgetRow({ budget }: { budget: BudgetFigures }) {
  const { country, units, used, reserved, left } = budget;
  const isLow = isShort(budget);
  const share = units > 0 ? Math.min(100, ((used + reserved) / units) * 100) : 100;
  const words = `${formatCount(used)} used and ${formatCount(reserved)} reserved of ${formatCount(units)}`;
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
        {formatCount(Math.max(0, left))} left
      </td>
    </tr>
  );
}
