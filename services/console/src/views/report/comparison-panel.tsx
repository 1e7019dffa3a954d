import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useId } from 'react';
import { compareRunOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunComparison, RunReport } from '#client/types.gen.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { compare, type ComparedFigure } from './comparison.ts';

const route = '/runs/$runId/report';

/**
 * Was it better than last time? Beside another run of the same campaign, the one before unless somebody chose another.
 */
export function ComparisonPanel({ report: { runId } }: { report: RunReport }) {
  const { with: wanted } = useSearch({ from: route });
  const beside = wanted === undefined ? {} : { query: { with: wanted } };
  const comparison = useQuery({
    ...compareRunOptions({ path: { id: runId }, ...beside }),
    placeholderData: keepPreviousData,
  });
  if (comparison.error !== null) {
    return (
      <Panel title="Compared with">
        <Failed
          title="The other run could not be read"
          error={comparison.error}
          onRetry={() => void comparison.refetch()}
        />
      </Panel>
    );
  }
  if (comparison.data?.before === null && comparison.data.others.length === 0) {
    return (
      <Panel title="Compared with" padded>
        <p className="t3 sm">This is the first run of its campaign that has ended: there is none to compare it with.</p>
      </Panel>
    );
  }
  return <Comparison comparison={comparison.data} />;
}

function Comparison({ comparison }: { comparison: RunComparison | undefined }) {
  const before = comparison?.before ?? null;
  return (
    <Panel title="Compared with" actions={comparison && <RunSelect comparison={comparison} />}>
      {comparison && before === null ? (
        <p className="t3 sm py-3 px-4">No run before this one has ended. Choose a later one.</p>
      ) : (
        <table className="d30 [&_th]:text-sm [&_td]:text-sm table-fixed">
          <colgroup>
            <col className="w-29" />
            <col />
            <col />
            <col className="w-22" />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">
                <span className="sr-only">Figure</span>
              </th>
              <th scope="col" className="text-right">
                This run
              </th>
              <th scope="col" className="text-right">
                Other run
              </th>
              <th scope="col" className="text-right">
                Change
              </th>
            </tr>
          </thead>
          <tbody>
            {comparison && before ? (
              compare(comparison.run, before).map((figure) => <Figure key={figure.name} figure={figure} />)
            ) : (
              <SkeletonRows rows={4} columns={[90, 50, 50, 40]} />
            )}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function RunSelect({ comparison: { before, others } }: { comparison: RunComparison }) {
  const navigate = useNavigate({ from: route });
  const formatTime = useFormatTime();
  const id = useId();
  // One that was asked for by its id may be older than those that are offered.
  const offered = before === null || others.some(({ runId }) => runId === before.runId) ? others : [before, ...others];
  return (
    <>
      <label htmlFor={id} className="sr-only">
        The run to compare with
      </label>
      <select
        id={id}
        className="btn s max-w-50"
        value={before?.runId ?? ''}
        onChange={({ target }) => void navigate({ search: { with: target.value }, replace: true })}
      >
        {before === null && <option value="">choose a run</option>}
        {offered.map(({ runId, scheduledFor }) => (
          <option key={runId} value={runId}>
            Run of {formatTime(scheduledFor)}
          </option>
        ))}
      </select>
    </>
  );
}

function Figure({ figure: { name, now, before, change, isBetter } }: { figure: ComparedFigure }) {
  const tone = isBetter === null ? 't2' : isBetter ? 'c-ok' : 'c-bad';
  return (
    <tr>
      <th scope="row" className="t2 whitespace-nowrap">
        {name}
      </th>
      <td className="text-right font-medium whitespace-nowrap">{now}</td>
      <td className="text-right t2 whitespace-nowrap">{before}</td>
      <td className={`text-right whitespace-nowrap ${tone}`}>
        {change}
        {isBetter !== null && <span className="sr-only">{isBetter ? ', better' : ', worse'}</span>}
      </td>
    </tr>
  );
}
