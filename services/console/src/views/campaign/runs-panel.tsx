import { Link } from '@tanstack/react-router';
import type { Campaign, Run } from '#client/types.gen.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { hasEnded, isDraft } from '../../parts/standing/state-looks.ts';
import { Empty, Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatDuration } from '../../parts/times/times.ts';

interface RunsPanelProps {
  campaign: Campaign;
  /** Undefined while they are asked for. */
  runs: readonly Run[] | undefined;
  error: unknown;
  onRetry: () => void;
}

/** What became of it so far, newest first. */
export function RunsPanel({ campaign, runs, error, onRetry }: RunsPanelProps) {
  if (runs?.length === 0) {
    return (
      <Panel title="Runs">
        <Empty
          icon="running"
          title="It has not run yet"
          {...(isDraft(campaign.state) && { command: `muster campaign start ${campaign.id}` })}
        >
          {isDraft(campaign.state)
            ? 'It is a draft: start it, and its run is shown here.'
            : 'Its run begins when its schedule says, and is shown here then.'}
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Runs" note="newest first">
      {runs === undefined && error !== null ? (
        <Failed title="The runs could not be read" error={error} onRetry={onRetry} />
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Planned for</th>
              <th scope="col" className="wide">
                Took
              </th>
              <th scope="col" className="text-right">
                <span className="sr-only">Open</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {runs?.map((run) => <RunRow key={run.runId} run={run} />) ?? (
              <SkeletonRows rows={3} columns={[90, 120, 70, 60]} />
            )}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function RunRow({ run }: { run: Run }) {
  const { runId, state, scheduledFor, startedAt, endedAt, parentRunId } = run;
  const isOver = hasEnded(state);
  return (
    <tr>
      <td>
        <StateBadge state={state} />
      </td>
      <td>
        <Time instant={scheduledFor} />
        {parentRunId !== null && <span className="t3"> retries failed users</span>}
      </td>
      <td className="wide t2">
        {startedAt === null
          ? '–'
          : isOver && endedAt !== null
            ? formatDuration(Date.parse(endedAt) - Date.parse(startedAt))
            : 'goes on'}
      </td>
      <td className="text-right">
        <Link className="link" to={isOver ? '/runs/$runId/report' : '/runs/$runId'} params={{ runId }}>
          {isOver ? 'Report' : 'Watch'}
        </Link>
      </td>
    </tr>
  );
}
