import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { getRunProgressOptions } from '#client/@tanstack/react-query.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useLiveRuns } from '../../live/live-runs.ts';
import { Freshness } from '../../parts/standing/freshness.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { LiveRunSkeleton } from './live-run-skeleton.tsx';
import { LiveRun } from './live-run.tsx';

export function LiveRunView() {
  const { runId } = useParams({ from: '/runs/$runId' });
  const standing = useLiveRuns([runId]);
  const { data: progress, error, refetch } = useQuery(getRunProgressOptions({ path: { id: runId } }));
  const formatTime = useFormatTime();
  const title = progress ? `Run of ${formatTime(progress.scheduledFor)}` : 'Run';
  const isFinal = progress !== undefined && progress.endedAt !== null;
  return (
    <Page
      title={title}
      crumbs={[
        { label: 'Campaigns', link: { to: '/campaigns' } },
        ...(progress
          ? [
              {
                label: progress.campaignName,
                link: { to: '/campaigns/$campaignId', params: { campaignId: progress.campaignId } },
              } as const,
            ]
          : []),
      ]}
      freshness={progress && <Freshness standing={{ ...standing, isFinal }} />}
    >
      {progress ? (
        <LiveRun key={runId} progress={progress} standing={{ ...standing, isFinal }} />
      ) : error === null ? (
        <LiveRunSkeleton />
      ) : (
        <section className="panel">
          <h1 className="sr-only">Run</h1>
          <Failed title="The run could not be read" error={error} onRetry={() => void refetch()} />
        </section>
      )}
    </Page>
  );
}
