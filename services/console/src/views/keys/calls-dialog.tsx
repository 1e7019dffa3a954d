import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getApiKeyCallsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ApiKey, KeyCalls } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { countColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { ShareBar } from '../../parts/data-table/share-bar.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Time } from '../../parts/times/time.tsx';
import { sumCalls, formatUtcDay, formatOperation } from './call-words.ts';

type Day = KeyCalls['days'][number];

interface CallsDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

export function CallsDialog({ apiKey: { id, name }, onClose }: CallsDialogProps) {
  const calls = useQuery(getApiKeyCallsOptions({ path: { id } }));
  return (
    <Dialog
      title={`Calls of ${name}`}
      isWide
      lead="Calls of the last eight days. The last minute may be missing."
      onClose={onClose}
      actions={
        <>
          <Link className="link mr-auto" to="/audit" search={{ keyId: id, keyName: name }}>
            Its changes in the audit log
          </Link>
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      <ListView
        what="Its calls"
        query={calls}
        items={calls.data?.operations}
        empty={<p className="t2">Not used in the last eight days.</p>}
      >
        <DataTable
          caption="By operation, most recent first"
          className="table-auto [--row:30px]"
          columns={operationColumns}
          rows={calls.data?.operations}
          keyOf={({ operation }) => operation}
        />
        <DayTable days={calls.data?.days} />
      </ListView>
    </Dialog>
  );
}

const answerColumns: readonly Column<Pick<Day, 'done' | 'refused' | 'failed'>>[] = [
  countColumn('Done', ({ done }) => done),
  countColumn('Refused', ({ refused }) => refused, { look: ({ refused }) => (refused > 0 ? 'c-warn' : 't3') }),
  countColumn('Failed', ({ failed }) => failed, { look: ({ failed }) => (failed > 0 ? 'c-bad' : 't3') }),
];

const operationColumns: readonly Column<KeyCalls['operations'][number]>[] = [
  {
    header: 'Operation',
    look: 'wrap-anywhere',
    title: ({ operation }) => operation,
    cell: ({ operation }) => formatOperation(operation),
  },
  ...answerColumns,
  {
    header: 'Last',
    align: 'right',
    hideBelow: 'phone',
    look: 't2 whitespace-nowrap',
    cell: ({ lastAt }) => <Time instant={lastAt} />,
  },
];

function DayTable({ days }: { days: readonly Day[] | undefined }) {
  const most = Math.max(1, ...(days?.map(sumCalls) ?? []));
  const columns: readonly Column<Day>[] = [
    { header: 'Day', look: 't2 whitespace-nowrap w-28', cell: ({ day }) => formatUtcDay(day) },
    {
      header: 'Share of the busiest day',
      isHeaderHidden: true,
      hideBelow: 'phone',
      look: 'w-full',
      cell: (day) => <ShareBar share={sumCalls(day) / most} />,
    },
    ...answerColumns,
  ];
  return (
    <DataTable
      caption="By day (UTC), today first"
      className="table-auto [--row:27px] [&>tbody]:text-sm"
      columns={columns}
      rows={days?.toReversed()}
      keyOf={({ day }) => day}
      loadingRows={8}
    />
  );
}
