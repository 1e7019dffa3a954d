import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { explainRunUserOptions, getRunOptions } from '#client/@tanstack/react-query.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Page, type Crumb } from '../../frame/page.tsx';
import { updateStatusOf } from '../../live/update-status.ts';
import { Freshness, StaleBanner } from '../../parts/standing/freshness.tsx';
import { hasEnded } from '../../parts/standing/state-looks.ts';
import { Failed } from '../../parts/standing/states.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { ExplainedUser } from './explained-user.tsx';
import { UserSkeleton } from './user-skeleton.tsx';

/** Polling interval in milliseconds of a run that has not ended. */
const pollEveryMs = 4000;

export function UserView() {
  const { runId, userId } = useParams({ from: '/runs/$runId/users/$userId' });
  const run = useQuery(getRunOptions({ path: { id: runId } }));
  const isOver = run.data !== undefined && hasEnded(run.data.state);
  const explained = useQuery({
    ...explainRunUserOptions({ path: { id: runId, userId } }),
    refetchInterval: isOver ? false : pollEveryMs,
  });
  const formatTime = useFormatTime();
  const crumbs: Crumb[] = [{ label: 'Campaigns', link: { to: '/campaigns' } }];
  if (run.data) {
    const { campaignName, campaignId, scheduledFor } = run.data;
    crumbs.push(
      { label: campaignName, link: { to: '/campaigns/$campaignId', params: { campaignId } } },
      {
        label: `Run of ${formatTime(scheduledFor)}`,
        link: { to: isOver ? '/runs/$runId/report' : '/runs/$runId', params: { runId } },
      },
    );
  }
  const [explainedError, runError] = [useLastError(explained), useLastError(run)];
  const error = explainedError ?? runError;
  const standing = { ...updateStatusOf(explained), isFinal: isOver };
  return (
    <Page
      title={`User ${userId}`}
      crumbs={crumbs}
      freshness={explained.data && run.data && <Freshness standing={standing} />}
    >
      {explained.data && run.data && (
        <StaleBanner standing={standing} note="The run continues; only this page is outdated." />
      )}
      {explained.data && run.data ? (
        <ExplainedUser key={userId} explained={explained.data} run={run.data} />
      ) : error === null ? (
        <UserSkeleton />
      ) : (
        <section className="panel">
          <h1 className="sr-only">User {userId}</h1>
          <Failed
            title="The user could not be read"
            error={error}
            onRetry={() => void Promise.all([run.refetch(), explained.refetch()])}
          />
        </section>
      )}
    </Page>
  );
}
