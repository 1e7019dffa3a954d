import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useId } from 'react';
import { compareRunOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { RunComparison, RunReport } from '../../api/generated/types.gen.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { compare, type ComparedFigure } from './comparison.ts';
import styles from './report.module.css';

const route = '/runs/$runId/report';

/** Was it better than last time? Beside another run of the same campaign, the one before unless somebody chose another. */
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
        <p className={`t3 sm ${styles['nobody'] ?? ''}`}>No run before this one has ended. Choose a later one.</p>
      ) : (
        <table className={`d30 ${styles['compared'] ?? ''}`}>
          <colgroup>
            <col className={styles['figure']} />
            <col />
            <col />
            <col className={styles['change']} />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">
                <span className="vh">Figure</span>
              </th>
              <th scope="col" className="r">
                This run
              </th>
              <th scope="col" className="r">
                Other run
              </th>
              <th scope="col" className="r">
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
      <label htmlFor={id} className="vh">
        The run to compare with
      </label>
      <select
        id={id}
        className={`btn s ${styles['select'] ?? ''}`}
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
      <th scope="row" className="t2 nw">
        {name}
      </th>
      <td className="r w5 nw">{now}</td>
      <td className="r t2 nw">{before}</td>
      <td className={`r nw ${tone}`}>
        {change}
        {isBetter !== null && <span className="vh">{isBetter ? ', better' : ', worse'}</span>}
      </td>
    </tr>
  );
}
