import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getRunProgressOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign, Run, RunProgress } from '#client/types.gen.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { StateBadge, StateCause } from '../../parts/standing/state-badge.tsx';
import { hasEnded, isDraft } from '../../parts/standing/state-looks.ts';
import { Empty } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { withTitles } from '../../parts/words/action-titles.ts';

interface RunsPanelProps {
  campaign: Campaign;
  runs: readonly Run[] | undefined;
  query: { error: unknown; refetch: () => unknown };
}

export function RunsPanel({ campaign, runs, query }: RunsPanelProps) {
  const counts = useRunCounts(runs ?? []);
  const rows = runs?.map((run, index) => ({ ...run, progress: counts[index]?.data }));
  return (
    <Panel title="Runs" note={runs?.length === 0 ? undefined : 'newest first'}>
      <ListView
        what="The runs"
        query={query}
        items={runs}
        empty={
          <Empty
            icon="running"
            title="It has not run yet"
            {...(isDraft(campaign.state) && { command: `muster campaign start ${campaign.id}` })}
          >
            {isDraft(campaign.state)
              ? 'This campaign is a draft. Its run appears here once you start it.'
              : 'Its run appears here at the scheduled time.'}
          </Empty>
        }
      >
        <DataTable
          caption="Runs, newest first"
          columns={columns}
          rows={rows}
          keyOf={({ runId }) => runId}
          loadingRows={3}
        />
      </ListView>
    </Panel>
  );
}

/** Number of newest runs whose figures are shown here. */
const countedRuns = 10;
const countEveryMs = 10_000;

/** Loads the progress of the newest runs. The progress of a run that has ended is loaded only once. */
function useRunCounts(runs: readonly Run[]) {
  return useQueries({
    queries: runs.slice(0, countedRuns).map(({ runId, state }) => ({
      ...getRunProgressOptions({ path: { id: runId } }),
      ...(hasEnded(state) ? { staleTime: Infinity } : { refetchInterval: countEveryMs }),
    })),
  });
}

interface CountedRun extends Run {
  /** Progress of the run; undefined while it is loaded, and for runs older than the newest `countedRuns`. */
  progress: RunProgress | undefined;
}

function sumFailed({ progress }: CountedRun): number | undefined {
  return progress?.steps.reduce((sum, line) => sum + line.failed, 0);
}

function formatUsers(users: number | undefined): string {
  return users === undefined ? '–' : formatCount(users);
}

const columns: readonly Column<CountedRun>[] = [
  {
    header: 'State',
    cell: ({ state, stateReason }) => (
      <>
        <StateBadge state={state} />
        {state === 'completed_with_failures' && <StateCause tone="idle">with failures</StateCause>}
        {stateReason !== null && (
          <StateCause tone={hasEnded(state) ? 'idle' : 'warn'}>{withTitles(stateReason)}</StateCause>
        )}
      </>
    ),
  },
  {
    header: 'Planned for',
    cell: ({ scheduledFor, parentRunId }) => (
      <>
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
      </>
    ),
  },
  { header: 'Duration', hideBelow: 'phone', look: 't2', cell: (run) => formatDurationOfRun(run) },
  {
    header: 'Audience',
    align: 'right',
    hideBelow: 'phone',
    cell: ({ progress }) => formatUsers(progress?.audience.counted),
  },
  { header: 'Through', align: 'right', cell: ({ progress }) => formatUsers(progress?.steps.at(-1)?.succeeded) },
  {
    header: 'Failed',
    align: 'right',
    look: (run) => (sumFailed(run) === 0 ? 'z' : undefined),
    cell: (run) => formatUsers(sumFailed(run)),
  },
  {
    header: 'Open',
    isHeaderHidden: true,
    align: 'right',
    cell: ({ runId, state }) => (
      <Link className="link" to={hasEnded(state) ? '/runs/$runId/report' : '/runs/$runId'} params={{ runId }}>
        {hasEnded(state) ? 'Report' : 'Watch'}
      </Link>
    ),
  },
];

function formatDurationOfRun({ state, startedAt, endedAt }: Run): string {
  if (startedAt === null) return '–';
  if (!hasEnded(state) || endedAt === null) return 'in progress';
  return formatDuration(Date.parse(endedAt) - Date.parse(startedAt));
}
