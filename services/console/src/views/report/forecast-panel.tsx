import type { RunForecast, RunReport } from '#client/types.gen.ts';
import { formatExpectedDuration } from '../../parts/campaign/arithmetic.ts';
import { countColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { countOf } from '../../parts/words/numbers.ts';
import { titleOf, withTitles } from '../../parts/words/action-titles.ts';

const maxShards = 8;

/** Forecast of a dry run: the duration by shard, and its assumptions. */
export function ForecastPanel({ report }: { report: Pick<RunReport, 'forecast' | 'audience'> }) {
  const { forecast, audience } = report;
  if (forecast === null) return null;
  const { load, takesSeconds, restsOn } = forecast;
  const slowestShards = load.toSorted((a, b) => (b.seconds ?? Infinity) - (a.seconds ?? Infinity)).slice(0, maxShards);
  const { shared = 0 } = audience;
  return (
    <Panel
      title="Forecast"
      note={formatExpectedDuration(takesSeconds)}
      footer={
        <>
          <p className="wrap-anywhere">{withTitles(restsOn)}</p>
          {shared > 0 && <p>{countOf(shared, 'user')} are in several sources; each counts once.</p>}
          {load.length > slowestShards.length && (
            <p>{countOf(load.length - slowestShards.length, 'more shard takes', 'more shards take')} less time.</p>
          )}
        </>
      }
    >
      <DataTable
        caption="Shards, slowest first"
        className="sm [--row:27px]"
        columns={columns}
        rows={slowestShards}
        keyOf={({ step, country }) => `${step} ${country}`}
      />
    </Panel>
  );
}

const columns: readonly Column<RunForecast['load'][number]>[] = [
  {
    header: 'Shard',
    isRowHeader: true,
    look: 'wrap-anywhere',
    cell: ({ step, action, country }) => `${step} ${titleOf(action)} ${country}`,
  },
  countColumn('Users', ({ users }) => users ?? 0),
  countColumn('Calls', ({ calls }) => calls ?? 0),
  {
    header: 'Takes',
    align: 'right',
    look: 'whitespace-nowrap',
    cell: ({ seconds }) => (seconds === null ? 'not known' : formatDuration(seconds * 1000)),
  },
];
