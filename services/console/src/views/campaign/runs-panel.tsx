import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getRunProgressOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign, Run } from '#client/types.gen.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { StateBadge, StateCause } from '../../parts/standing/state-badge.tsx';
import { hasEnded, isDraft } from '../../parts/standing/state-looks.ts';
import { Empty, Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { withTitles } from '../../parts/words/action-titles.ts';

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
              <th scope="col" className="text-right wide">
                Audience
              </th>
              <th scope="col" className="text-right">
                Through
              </th>
              <th scope="col" className="text-right">
                Failed
              </th>
              <th scope="col" className="text-right">
                <span className="sr-only">Open</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {runs?.map((run, index) => <RunRow key={run.runId} run={run} isCounted={index < countedRuns} />) ?? (
              <SkeletonRows rows={3} columns={[90, 120, 70, 120, 60, 60]} />
            )}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

/** So many of the newest runs have their numbers here; the others in their reports. */
const countedRuns = 10;
const countEveryMs = 10_000;

function RunRow({ run, isCounted }: { run: Run; isCounted: boolean }) {
  const { runId, state, stateReason, scheduledFor, startedAt, endedAt, parentRunId } = run;
  const isOver = hasEnded(state);
  return (
    <tr>
      <td>
        <StateBadge state={state} />
        {state === 'completed_with_failures' && <StateCause tone="idle">with failures</StateCause>}
        {stateReason !== null && <StateCause tone={isOver ? 'idle' : 'warn'}>{withTitles(stateReason)}</StateCause>}
      </td>
      <td>
        <Time instant={scheduledFor} />
        {parentRunId !== null && (
          <span className="t3">
            {' '}
            retries failed users of{' '}
            <Link className="link" to="/runs/$runId/report" params={{ runId: parentRunId }}>
              an earlier run
            </Link>
          </span>
        )}
      </td>
      <td className="wide t2">
        {startedAt === null
          ? '–'
          : isOver && endedAt !== null
            ? formatDuration(Date.parse(endedAt) - Date.parse(startedAt))
            : 'goes on'}
      </td>
      <RunCounts runId={runId} isCounted={isCounted} isOver={isOver} />
      <td className="text-right">
        <Link className="link" to={isOver ? '/runs/$runId/report' : '/runs/$runId'} params={{ runId }}>
          {isOver ? 'Report' : 'Watch'}
        </Link>
      </td>
    </tr>
  );
}

/** Whom it has reached, of how many; a run that has ended is asked once. */
function RunCounts({ runId, isCounted, isOver }: { runId: string; isCounted: boolean; isOver: boolean }) {
  const { data } = useQuery({
    ...getRunProgressOptions({ path: { id: runId } }),
    enabled: isCounted,
    ...(isOver ? { staleTime: Infinity } : { refetchInterval: countEveryMs }),
  });
  const failed = data?.steps.reduce((sum, line) => sum + line.failed, 0);
  const shown = (users: number | undefined) => (users === undefined ? '–' : formatCount(users));
  return (
    <>
      <td className="text-right wide">{shown(data?.audience.counted)}</td>
      <td className="text-right">{shown(data?.steps.at(-1)?.succeeded)}</td>
      <td className={failed === 0 ? 'text-right z' : 'text-right'}>{shown(failed)}</td>
    </>
  );
}
