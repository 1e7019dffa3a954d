import type { ReactNode } from 'react';
import type { BudgetFigures } from '#client/types.gen.ts';
import { formatCount } from '../words/numbers.ts';
import type { Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { ShareBar } from '../data-table/share-bar.tsx';
import { Panel } from '../panels/panel.tsx';
import { sortByNeed, isBudgetShort } from './budget-rows.ts';
import { figuresOf, formatAmount, type FormattedFigures } from './amounts.ts';

interface BudgetPanelProps {
  budgets: readonly BudgetFigures[];
  actions?: ReactNode;
}

const maxRows = 8;

/** Used and remaining budgets of a campaign by country. Renders nothing if there are none. */
export function BudgetPanel({ budgets, actions }: BudgetPanelProps) {
  if (budgets.length === 0) return null;
  const listed = budgets.length <= maxRows ? budgets : sortByNeed(budgets).slice(0, maxRows);
  const others = budgets.length - listed.length;
  const sums = [...Map.groupBy(budgets.map(figuresOf), ({ unit }) => unit)];
  return (
    <Panel
      title="Budget"
      note="of all runs of the campaign"
      actions={actions}
      footer={
        <>
          {sums.map(([unit, figures]) => usedWords(unit, figures)).join(' ')}
          {others > 0 && ` ${formatCount(others)} more countries have more left.`}
        </>
      }
    >
      <DataTable
        caption="Budgets by country"
        className="sm [--row:27px] table-fixed"
        columns={columns}
        rows={listed}
        keyOf={({ country }) => country}
        isHeadHidden
      />
    </Panel>
  );
}

function usedWords(unit: string, of: readonly FormattedFigures[]): string {
  const sum = (name: 'all' | 'used' | 'reserved') => of.reduce((all, each) => all + each[name].number, 0);
  const reserved = sum('reserved');
  const [used, all] = [formatAmount(unit, sum('used')).replace(/ \S+$/, ''), formatAmount(unit, sum('all'))];
  return `${used} of ${all} used${reserved > 0 ? `, ${formatAmount(unit, reserved)} reserved for calls under way` : ''}.`;
}

const columns: readonly Column<BudgetFigures>[] = [
  {
    header: 'Country',
    isRowHeader: true,
    width: 'w-12',
    look: (budget) => (isBudgetShort(budget) ? 'font-semibold' : undefined),
    cell: ({ country }) => country,
  },
  {
    header: 'Used',
    title: wordsOf,
    cell: (budget) => {
      const { all, used, reserved } = figuresOf(budget);
      const share = all.number > 0 ? (used.number + reserved.number) / all.number : 1;
      return <ShareBar share={share} isLow={isBudgetShort(budget)} words={wordsOf(budget)} />;
    },
  },
  {
    header: 'Left',
    align: 'right',
    width: 'w-29',
    look: (budget) => (isBudgetShort(budget) ? 'whitespace-nowrap c-warn font-medium' : 'whitespace-nowrap'),
    title: wordsOf,
    cell: (budget) => {
      const { left, unit } = figuresOf(budget);
      return `${left.number < 0 ? '0' : left.text} ${unit === 'units' ? '' : `${unit} `}left`;
    },
  },
];

function wordsOf(budget: BudgetFigures): string {
  const { all, used, reserved, unit } = figuresOf(budget);
  return `${used.text} used and ${reserved.text} reserved of ${all.text} ${unit}`;
}
