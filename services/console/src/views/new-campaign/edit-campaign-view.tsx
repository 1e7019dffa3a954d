import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { getCampaign } from '#client/sdk.gen.ts';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import { Page } from '../../frame/page.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { isDraft } from '../../parts/standing/state-looks.ts';
import { Failed } from '../../parts/standing/states.tsx';
import { useZone } from '../../parts/times/zone.ts';
import { CampaignEditor } from './editor/campaign-editor.tsx';
import { EditorSkeleton } from './editor/editor-skeleton.tsx';
import { formOf } from '../../parts/campaign/form-definition.ts';

const crumbs = [{ label: 'Campaigns', link: { to: '/campaigns' } }] as const;
const route = getRouteApi('/campaigns/$campaignId/edit');

export function EditCampaignView() {
  const { campaignId } = route.useParams();
  const { zone } = useZone();
  const types = useQuery(listActionTypesOptions());
  const draft = useQuery({
    queryKey: ['draft', campaignId],
    queryFn: async ({ signal }) => {
      const { data, response } = await getCampaign({ path: { id: campaignId }, signal, throwOnError: true });
      return { campaign: data, etag: response.headers.get('etag') };
    },
    // The draft is never loaded again, so that a later version does not replace what the user is typing.
    staleTime: Infinity,
    gcTime: 0,
  });
  const error = types.error ?? draft.error;
  const title = draft.data?.campaign.name ?? 'Draft';
  return (
    <Page title={title} crumbs={crumbs}>
      {error !== null ? (
        <Failed title="The draft could not be read" error={error} onRetry={() => void draft.refetch()} />
      ) : !types.data || !draft.data ? (
        <EditorSkeleton />
      ) : !isDraft(draft.data.campaign.state) ? (
        <NoDraft campaignId={campaignId} />
      ) : (
        <CampaignEditor
          key={`${campaignId} ${draft.data.campaign.revision}`}
          types={types.data.items}
          saved={formOf(draft.data.campaign, types.data.items, zone)}
          draft={draft.data.campaign}
          etag={draft.data.etag}
          copiedFrom={null}
        />
      )}
    </Page>
  );
}

function NoDraft({ campaignId }: { campaignId: string }) {
  return (
    <div className="banner info">
      <Icon name="info" />
      <div>
        This campaign is no longer a draft, so it cannot be edited.{' '}
        <Link className="link" to="/campaigns/$campaignId" params={{ campaignId }}>
          Open the campaign
        </Link>{' '}
        or{' '}
        <Link className="link" to="/campaigns/new" search={{ copy: campaignId }}>
          copy it
        </Link>
        .
      </div>
    </div>
  );
}
