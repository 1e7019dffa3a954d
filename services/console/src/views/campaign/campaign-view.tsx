import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { getCampaignOptions, listRunsOptions } from '#client/@tanstack/react-query.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { updateStatusOf } from '../../live/update-status.ts';
import { Definition } from '../../parts/campaign/definition.tsx';
import { Freshness, StaleBanner } from '../../parts/standing/freshness.tsx';
import { SkeletonBar, useHasWaited } from '../../parts/standing/skeleton.tsx';
import { isDraft } from '../../parts/standing/state-looks.ts';
import { Failed } from '../../parts/standing/states.tsx';
import { AboutPanel } from './about-panel.tsx';
import { ApprovalPanel } from './approval-panel.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignHead } from './campaign-head.tsx';
import { CampaignRevisions } from './campaign-revisions.tsx';
import { RecurringPanel } from './recurring-panel.tsx';
import { RunsPanel } from './runs-panel.tsx';
import { TrialsPanel } from './trials-panel.tsx';

const crumbs = [{ label: 'Campaigns', link: { to: '/campaigns' } }] as const;
const route = getRouteApi('/campaigns/$campaignId');
/** Polling interval in milliseconds, shorter than the age at which data counts as outdated. */
const lookEveryMs = 4000;
/** Polling interval in milliseconds after a start, when the run usually appears within a second. */
const followEveryMs = 500;

export function CampaignView() {
  const { campaignId } = route.useParams();
  const isFollowing = useLocation({ select: ({ state }) => state.follow === true });
  const refetchInterval = isFollowing ? followEveryMs : lookEveryMs;
  const campaign = useQuery({ ...getCampaignOptions({ path: { id: campaignId } }), refetchInterval });
  const runs = useQuery({ ...listRunsOptions({ query: { campaignId, limit: 20 } }), refetchInterval: lookEveryMs });
  const error = useLastError(campaign);
  const previewRefusal = useRefusal('manager');
  const navigate = route.useNavigate();
  const latestRun = campaign.data?.links.latestRun?.split('/').at(-1);
  useEffect(() => {
    if (!isFollowing || latestRun === undefined) return;
    void navigate({ to: '/runs/$runId', params: { runId: latestRun }, replace: true });
  }, [isFollowing, latestRun, navigate]);
  if (!campaign.data) {
    return (
      <Page title="Campaign" crumbs={crumbs}>
        {error === null ? (
          <CampaignSkeleton />
        ) : (
          <Failed title="The campaign could not be read" error={error} onRetry={() => void campaign.refetch()} />
        )}
      </Page>
    );
  }
  const standing = updateStatusOf(campaign);
  return (
    <Page title={campaign.data.name} crumbs={crumbs} freshness={<Freshness standing={standing} />}>
      <StaleBanner
        standing={standing}
        note={
          isDraft(campaign.data.state)
            ? 'Only this page is outdated.'
            : 'Its runs continue; only this page is outdated.'
        }
      />
      <div className="head">
        <CampaignHead campaign={campaign.data} />
        <CampaignActions campaign={campaign.data} />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,420px)] gap-4 items-start max-[960px]:grid-cols-1">
        <div className="grid gap-4 min-w-0">
          {campaign.data.schedule.type === 'recurring' && <RecurringPanel campaign={campaign.data} />}
          <RunsPanel runs={runs.data?.items} query={runs} campaign={campaign.data} />
        </div>
        <div className="grid gap-4 min-w-0">
          <AboutPanel campaign={campaign.data} />
          <TrialsPanel campaign={campaign.data} />
          <ApprovalPanel campaign={campaign.data} />
          <Definition campaign={campaign.data} revision={campaign.data.revision} previewRefusal={previewRefusal} />
          <CampaignRevisions campaign={campaign.data} />
        </div>
      </div>
    </Page>
  );
}

function CampaignSkeleton() {
  const isVisible = useHasWaited();
  if (!isVisible) return null;
  return (
    <div className="grid gap-3" aria-hidden="true">
      <SkeletonBar width={260} />
      <SkeletonBar width={180} />
      <div className="panel" style={{ height: 240 }} />
    </div>
  );
}
