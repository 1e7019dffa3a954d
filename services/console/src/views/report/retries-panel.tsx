import { Link } from '@tanstack/react-router';
import type { RunReport } from '#client/types.gen.ts';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { countColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { Panel } from '../../parts/panels/panel.tsx';

/** Retries of failed users, which are runs of their own, with their results. */
export function RetriesPanel({ report: { retries } }: { report: RunReport }) {
  if (retries === null) return null;
  const { failedBefore, failedAfter, runs } = retries;
  return (
    <Panel title="Retries" note={`${formatCount(failedBefore)} failed before, ${formatCount(failedAfter)} afterwards`}>
      <DataTable
        caption="Retry runs and their results"
        className="d30 [&_th]:text-sm [&_td]:text-sm table-fixed"
        columns={columns}
        rows={runs}
        keyOf={({ runId }) => runId}
      />
    </Panel>
  );
}

type Retry = NonNullable<RunReport['retries']>['runs'][number];

const columns: readonly Column<Retry>[] = [
  {
    header: 'Run',
    isRowHeader: true,
    cell: ({ runId }) => (
      <Link className="link mono" to="/runs/$runId" params={{ runId }} title={runId}>
        …{shortId(runId).slice(-6)}
      </Link>
    ),
  },
  countColumn('Retried', ({ retried }) => retried),
  countColumn('Recovered', ({ recovered }) => recovered, { look: 'c-ok' }),
  countColumn('Failed again', ({ failedAgain }) => failedAgain),
];
