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
import { compareRuns, hasSameChain, type ComparedFigure } from './comparison.ts';

const route = '/runs/$runId/report';

/** Comparison with another run. Default: the previous run of the campaign. The address has the chosen run. */
export function ComparisonPanel({ report: { runId } }: { report: RunReport }) {
  const { with: wanted } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const [isChoosing, setChoosing] = useState(false);
  const queryOptions = wanted === undefined ? {} : { query: { with: wanted } };
  const comparison = useQuery({
    ...compareRunOptions({ path: { id: runId }, ...queryOptions }),
    placeholderData: keepPreviousData,
  });
  const { data, error } = comparison;
  // If runs can be chosen, the button has only an icon, because there is no space for its text.
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
          ? 'This is the first ended run of its campaign, so there is no earlier run to compare with.'
          : 'No earlier run has ended. Choose a later run.'}
      </p>
    );
  }
  return (
    <>
      <DataTable
        caption="Figures of this run and of the other run"
        className="d30 [&_th]:text-sm [&_td]:text-sm table-fixed"
        columns={columns}
        rows={comparison && before ? compareRuns(comparison.run, before) : undefined}
        keyOf={({ name }) => name}
      />
      {comparison && before && <DifferenceNote run={comparison.run} before={before} />}
    </>
  );
}

/** Note for a comparison with a run of another campaign, or with another chain. */
function DifferenceNote({ run, before }: { run: ComparedRun; before: ComparedRun }) {
  const isOtherCampaign = before.campaignId !== run.campaignId;
  const isSameChain = hasSameChain(run, before);
  if (!isOtherCampaign && isSameChain) return null;
  return (
    <footer>
      {isOtherCampaign && <p>The other run belongs to “{plainText(before.campaignName)}”.</p>}
      {!isSameChain && (
        <p>
          Its chain differs: {before.chain.map(titleOf).join(', then ')}, not {run.chain.map(titleOf).join(', then ')}.
          Only the audiences are comparable; outcomes and durations are not.
        </p>
      )}
    </footer>
  );
}

interface RunSelectProps {
  comparison: RunComparison;
  onChoose: (runId: string) => void;
}

/**
 * Lets the user choose a run to compare with. Offers runs of the same campaign, and the chosen run even if it belongs
 * to another campaign.
 */
function RunSelect({ comparison: { run, before, others }, onChoose }: RunSelectProps) {
  const formatTime = useFormatTime();
  const id = useId();
  // A run that was requested by its id may be missing in the offered runs. It is then added.
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
