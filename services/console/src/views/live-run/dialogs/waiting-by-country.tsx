import type { CancelPreview } from '#client/types.gen.ts';
import { countColumn, type Column } from '../../../parts/data-table/columns.tsx';
import { DataTable } from '../../../parts/data-table/data-table.tsx';
import { buildWaitingTable } from './waiting-table.ts';

/** Users by country: how many wait for each step, and how many are being called. */
export function WaitingByCountry({ preview }: { preview: CancelPreview }) {
  const table = buildWaitingTable(preview);
  if (table === null) return null;
  const { steps, rows, others } = table;
  const lines: WaitingLine[] = rows.map(({ country, ...row }) => ({ ...row, name: country }));
  if (others) lines.push({ ...others, name: others.countries === 1 ? '1 more' : `${others.countries} more` });
  const columns: readonly Column<WaitingLine>[] = [
    { header: 'Country', isHeaderHidden: true, isRowHeader: true, cell: ({ name }) => name },
    ...steps.map((step, index) =>
      countColumn<WaitingLine>(step, ({ waiting }) => waiting[index] ?? 0, {
        width: 'align-bottom whitespace-normal wrap-anywhere',
      }),
    ),
    countColumn('in flight', ({ inFlight }) => inFlight),
  ];
  return (
    <DataTable
      caption="Users by country and the step that they wait for"
      captionLook="t3 pb-1 text-left"
      className="sm d30 table-fixed w-full"
      columns={columns}
      rows={lines}
      keyOf={({ name }) => name}
    />
  );
}

interface WaitingLine {
  name: string;
  waiting: readonly number[];
  inFlight: number;
}
