import { titleOf } from '../../parts/words/action-titles.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { compareRunOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ComparedRun, RunComparison, RunReport } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { ChooseRunDialog } from './choose-run-dialog.tsx';
import { compare, isSameChain, type ComparedFigure } from './comparison.ts';

const route = '/runs/$runId/report';

/** Comparison with another run. Default: the previous run of the campaign. The address has the chosen run. */
export function ComparisonPanel({ report: { runId } }: { report: RunReport }) {
  const { with: wanted } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const [isChoosing, setChoosing] = useState(false);
  const beside = wanted === undefined ? {} : { query: { with: wanted } };
  const comparison = useQuery({
    ...compareRunOptions({ path: { id: runId }, ...beside }),
    placeholderData: keepPreviousData,
  });
  const { data, error } = comparison;
  // Beside the choice of runs, there is no room for the text of the button.
  const offered = error === null && data && (data.before !== null || data.others.length > 0) ? data : undefined;
  const choose = (other: string) => {
    setChoosing(false);
    void navigate({ search: { with: other }, replace: true });
  };
  return (
    <>
      <Panel
        title="Compared with"
        actions={
          <span className="row">
            {offered && <RunSelect comparison={offered} onChoose={choose} />}
            {offered ? (
              <Button small icon="search" label="Other runs…" onClick={() => setChoosing(true)} />
            ) : (
              <Button small onClick={() => setChoosing(true)}>
                Other runs…
              </Button>
            )}
          </span>
        }
      >
        {error === null ? (
          <Comparison comparison={data} />
        ) : (
          <Failed title="The other run could not be read" error={error} onRetry={() => void comparison.refetch()} />
        )}
      </Panel>
      {isChoosing && <ChooseRunDialog runId={runId} onChoose={choose} onClose={() => setChoosing(false)} />}
    </>
  );
}

function Comparison({ comparison }: { comparison: RunComparison | undefined }) {
  const before = comparison?.before ?? null;
  if (comparison && before === null) {
    return (
      <p className="t3 sm py-3 px-4">
        {comparison.others.length === 0
          ? 'This is the first run of its campaign that has ended: there is none of it to compare this one with.'
          : 'No run before this one has ended. Choose a later one.'}
      </p>
    );
  }
  return (
    <>
      <DataTable
        caption="Figures of this run beside those of the other"
        className="d30 [&_th]:text-sm [&_td]:text-sm table-fixed"
        columns={columns}
        rows={comparison && before ? compare(comparison.run, before) : undefined}
        keyOf={({ name }) => name}
      />
      {comparison && before && <Unlike run={comparison.run} before={before} />}
    </>
  );
}

/** Note that the other run is of another campaign, or has another chain, which limits the comparison. */
function Unlike({ run, before }: { run: ComparedRun; before: ComparedRun }) {
  const isOther = before.campaignId !== run.campaignId;
  const isLike = isSameChain(run, before);
  if (!isOther && isLike) return null;
  return (
    <footer>
      {isOther && <p>The other run is of “{plainText(before.campaignName)}”.</p>}
      {!isLike && (
        <p>
          Its chain is another one: {before.chain.map(titleOf).join(', then ')}, not{' '}
          {run.chain.map(titleOf).join(', then ')}. Who got through and who failed means two things, and how long it
          took; only the audiences are compared.
        </p>
      )}
    </footer>
  );
}

interface RunSelectProps {
  comparison: RunComparison;
  onChoose: (runId: string) => void;
}

/** Choice of a run of the same campaign, and of a chosen run of another campaign. */
function RunSelect({ comparison: { run, before, others }, onChoose }: RunSelectProps) {
  const formatTime = useFormatTime();
  const id = useId();
  // A run that was requested by its id may be older than the offered runs.
  const isOffered = before === null || others.some(({ runId }) => runId === before.runId);
  const offered = isOffered ? others : [before, ...others];
  const nameOf = (runId: string) =>
    runId === before?.runId && before.campaignId !== run.campaignId ? `${plainText(before.campaignName)}, run` : 'Run';
  return (
    <>
      <label htmlFor={id} className="sr-only">
        The run to compare with
      </label>
      <select
        id={id}
        className="btn s max-w-42"
        value={before?.runId ?? ''}
        onChange={({ target }) => onChoose(target.value)}
      >
        {before === null && <option value="">choose a run</option>}
        {offered.map(({ runId, scheduledFor }) => (
          <option key={runId} value={runId}>
            {nameOf(runId)} of {formatTime(scheduledFor)}
          </option>
        ))}
      </select>
    </>
  );
}

const columns: readonly Column<ComparedFigure>[] = [
  {
    header: 'Figure',
    isHeaderHidden: true,
    isRowHeader: true,
    width: 'w-29',
    look: 't2 whitespace-nowrap',
    cell: ({ name }) => name,
  },
  { header: 'This run', align: 'right', look: 'font-medium whitespace-nowrap', cell: ({ now }) => now },
  { header: 'Other run', align: 'right', look: 't2 whitespace-nowrap', cell: ({ before }) => before },
  {
    header: 'Change',
    align: 'right',
    width: 'w-22',
    look: ({ isBetter }) => `whitespace-nowrap ${isBetter === null ? 't2' : isBetter ? 'c-ok' : 'c-bad'}`,
    cell: ({ change, isBetter }) => (
      <>
        {change}
        {isBetter !== null && <span className="sr-only">{isBetter ? ', better' : ', worse'}</span>}
      </>
    ),
  },
];
