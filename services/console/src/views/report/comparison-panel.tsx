import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useId } from 'react';
import { getRunReportOptions, listRunsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { Run, RunReport } from '../../api/generated/types.gen.ts';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { hasEnded } from '../../parts/state-looks.ts';
import { Failed } from '../../parts/states.tsx';
import { useFormatTime } from '../../parts/zone.ts';
import { compare, type ComparedFigure } from './comparison.ts';
import styles from './report.module.css';

const route = '/runs/$runId/report';
const offeredRuns = 20;

/** Was it better than last time? Beside another run of the same campaign, the one before unless somebody chose another. */
export function ComparisonPanel({ report }: { report: RunReport }) {
  const { with: wanted } = useSearch({ from: route });
  const runs = useQuery(listRunsOptions({ query: { campaignId: report.campaignId, limit: 100 } }));
  const others = otherRuns(runs.data?.items ?? [], report);
  const other = others.find(({ runId }) => runId === wanted) ?? others[0];
  if (runs.error !== null) {
    return (
      <Panel title="Compared with">
        <Failed title="The other runs could not be read" error={runs.error} onRetry={() => void runs.refetch()} />
      </Panel>
    );
  }
  if (runs.data !== undefined && !other) {
    return (
      <Panel title="Compared with" padded>
        <p className="t3 sm">This is the first run of its campaign that has ended: there is none to compare it with.</p>
      </Panel>
    );
  }
  return other && <Comparison key={other.runId} report={report} other={other} others={others} />;
}

/** Runs that have ended, without those that tried failed users again; those before this one first. */
function otherRuns(runs: readonly Run[], { runId, scheduledFor }: RunReport): Run[] {
  const ended = runs.filter((run) => run.runId !== runId && run.parentRunId === null && hasEnded(run.state));
  const before = ended.filter((run) => run.scheduledFor < scheduledFor);
  return [...before, ...ended.filter((run) => !before.includes(run))].slice(0, offeredRuns);
}

interface ComparisonProps {
  report: RunReport;
  other: Run;
  others: readonly Run[];
}

function Comparison({ report, other, others }: ComparisonProps) {
  const before = useQuery(getRunReportOptions({ path: { id: other.runId } }));
  return (
    <Panel title="Compared with" actions={<RunSelect other={other} others={others} />}>
      {before.error === null ? (
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
            {before.data ? (
              compare(report, before.data).map((figure) => <Figure key={figure.name} figure={figure} />)
            ) : (
              <SkeletonRows rows={4} columns={[90, 50, 50, 40]} />
            )}
          </tbody>
        </table>
      ) : (
        <Failed title="The other run could not be read" error={before.error} onRetry={() => void before.refetch()} />
      )}
    </Panel>
  );
}

function RunSelect({ other, others }: Omit<ComparisonProps, 'report'>) {
  const navigate = useNavigate({ from: route });
  const formatTime = useFormatTime();
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="vh">
        The run to compare with
      </label>
      <select
        id={id}
        className={`btn s ${styles['select'] ?? ''}`}
        value={other.runId}
        onChange={({ target }) => void navigate({ search: { with: target.value }, replace: true })}
      >
        {others.map(({ runId, scheduledFor }) => (
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
