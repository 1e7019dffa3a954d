import type { RunReport } from '#client/types.gen.ts';
import { countColumn, type Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { Panel } from '../panels/panel.tsx';
import { formatCount } from '../words/numbers.ts';
import { formatMoney } from './amounts.ts';
import { titleOf } from '../words/action-titles.ts';

/** Costs of a run so far, by step. Renders nothing if no step costs units. */
export function CostPanel({ run }: { run: Pick<RunReport, 'cost' | 'kind'> }) {
  const { cost, kind } = run;
  if (!cost) return null;
  const total = formatMoney(cost.amount, cost.currency);
  const columns: readonly Column<(typeof cost.steps)[number]>[] = [
    {
      header: 'Step',
      isRowHeader: true,
      look: 'wrap-anywhere',
      cell: ({ step, action }) => `${step} ${titleOf(action)}`,
    },
    countColumn('Units', ({ units }) => units),
    {
      header: cost.currency ?? 'Amount',
      align: 'right',
      look: 'whitespace-nowrap',
      title: ({ price }) => (price === null ? 'No price' : `At ${price} a unit`),
      cell: ({ amount }) => amount ?? '–',
    },
  ];
  return (
    <Panel
      title={kind === 'dry-run' ? 'What it would cost' : 'Cost'}
      note={total ?? 'in units: no step has a price'}
      footer={<>{formatCount(cost.units)} units, for users that succeeded, or of which it is unknown.</>}
    >
      <DataTable
        caption="Cost by step"
        className="sm [--row:27px]"
        columns={columns}
        rows={cost.steps.filter(({ unitsPerUser }) => unitsPerUser > 0)}
        keyOf={({ step }) => step}
      />
    </Panel>
  );
}
