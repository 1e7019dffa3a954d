import { Link } from '@tanstack/react-router';
import type { RunReport } from '#client/types.gen.ts';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { Panel } from '../../parts/panels/panel.tsx';

/** What came of those who were tried again, in runs of their own. */
export function RetriesPanel({ report: { retries } }: { report: RunReport }) {
  if (retries === null) return null;
  const { failedBefore, failedAfter, runs } = retries;
  return (
    <Panel title="Tried again" note={`${formatCount(failedBefore)} failed, ${formatCount(failedAfter)} still do`}>
      <table className="d30 [&_th]:text-sm [&_td]:text-sm table-fixed">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col" className="text-right">
              Tried
            </th>
            <th scope="col" className="text-right">
              Recovered
            </th>
            <th scope="col" className="text-right">
              Failed again
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map(({ runId, retried, recovered, failedAgain }) => (
            <tr key={runId}>
              <th scope="row" className="mono truncate">
                <Link className="link" to="/runs/$runId" params={{ runId }} title={runId}>
                  …{shortId(runId).slice(-6)}
                </Link>
              </th>
              <td className="text-right">{formatCount(retried)}</td>
              <td className="text-right c-ok">{formatCount(recovered)}</td>
              <td className="text-right">{formatCount(failedAgain)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
