import type { ClientLoad } from '#client/types.gen.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ShareBar } from '../../parts/data-table/share-bar.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatCount } from '../../parts/words/numbers.ts';

/** Dispatchers that call the client's jobs, with the calls under way, the limit, and the remaining credit of each. */
export function CreditPanel({ load }: { load: ClientLoad | undefined }) {
  return (
    <Panel
      title="Credit by dispatcher"
      note="jobs that each may still receive"
      footer="Credit is the number of jobs that a dispatcher may still receive. Other jobs wait in the database."
    >
      {load?.dispatchers.length === 0 ? (
        <p className="pad t3 sm">No dispatcher takes jobs now.</p>
      ) : (
        <DataTable
          caption="Credit by dispatcher"
          className="table-fixed [--row:28px] [&>tbody]:text-sm"
          columns={columns}
          rows={load?.dispatchers}
          keyOf={({ dispatcher }) => dispatcher}
          loadingRows={2}
        />
      )}
    </Panel>
  );
}

const columns: readonly Column<ClientLoad['dispatchers'][number]>[] = [
  {
    header: 'Dispatcher',
    look: 'truncate',
    title: ({ dispatcher }) => dispatcher,
    cell: ({ dispatcher, region }) => (
      <>
        {hostOf(dispatcher)} <span className="t3">{region}</span>
      </>
    ),
  },
  {
    header: 'Share under way',
    isHeaderHidden: true,
    width: 'w-20',
    hideBelow: 'phone',
    cell: ({ underWay, maxUnderWay }) =>
      maxUnderWay !== null && maxUnderWay > 0 && <ShareBar share={underWay / maxUnderWay} />,
  },
  {
    header: 'Under way',
    align: 'right',
    width: 'w-20',
    look: 'whitespace-nowrap',
    cell: ({ underWay, maxUnderWay }) => (
      <>
        {formatCount(underWay)} {maxUnderWay !== null && <span className="t3">of {formatCount(maxUnderWay)}</span>}
      </>
    ),
  },
  { header: 'Credit', align: 'right', width: 'w-16', cell: ({ credit }) => formatCount(credit) },
];

/** Returns `d1` for `dispatcher@d1/0193…`; other names stay unchanged. */
function hostOf(dispatcher: string): string {
  return /^dispatcher@([^/]+)\//.exec(dispatcher)?.[1] ?? dispatcher;
}
