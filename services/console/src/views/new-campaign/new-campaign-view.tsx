import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { getCampaignOptions, getAudienceOptions, listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { SavedAudience } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { Failed, Forbidden } from '../../parts/standing/states.tsx';
import { useZone } from '../../parts/times/zone.ts';
import { CampaignEditor } from './editor/campaign-editor.tsx';
import { EditorSkeleton } from './editor/editor-skeleton.tsx';
import type { CampaignForm } from '../../parts/campaign/form.ts';
import { formOf, newForm } from '../../parts/campaign/form-definition.ts';
import { copySources } from '../../parts/audience/source-form.ts';
import { NoActionTypes } from './chain/no-action-types.tsx';

const crumbs = [{ label: 'Campaigns', link: { to: '/campaigns' } }] as const;
const route = getRouteApi('/campaigns/new');

export function NewCampaignView() {
  const { copy, list, segment, saved } = route.useSearch();
  const { zone } = useZone();
  const refusal = useRefusal('manager');
  const types = useQuery(listActionTypesOptions());
  const copied = useQuery({ ...getCampaignOptions({ path: { id: copy ?? '' } }), enabled: copy !== undefined });
  const savedAudience = useQuery({
    ...getAudienceOptions({ path: { id: saved ?? '' } }),
    enabled: saved !== undefined,
  });
  const error = types.error ?? copied.error ?? savedAudience.error;
  const retry = () => {
    void types.refetch();
    if (copy !== undefined) void copied.refetch();
    if (saved !== undefined) void savedAudience.refetch();
  };
  return (
    <Page title="New campaign" crumbs={crumbs}>
      {refusal !== undefined ? (
        <section className="panel">
          <h1 className="sr-only">New campaign</h1>
          <Forbidden title="This key cannot create campaigns">
            {refusal}. You can still view campaigns and reports.
          </Forbidden>
        </section>
      ) : error !== null ? (
        <Failed title="The form could not be loaded" error={error} onRetry={retry} />
      ) : !types.data || (copy !== undefined && !copied.data) || (saved !== undefined && !savedAudience.data) ? (
        <EditorSkeleton />
      ) : types.data.items.length === 0 ? (
        <NoActionTypes />
      ) : (
        <CampaignEditor
          key={copy ?? saved ?? list ?? segment ?? 'new'}
          types={types.data.items}
          saved={
            copied.data
              ? copyOf(formOf(copied.data, types.data.items, zone))
              : newForm(
                  zone,
                  initialForm({
                    list,
                    segment,
                    saved: savedAudience.data?.kind === 'saved' ? savedAudience.data : undefined,
                  }),
                )
          }
          draft={null}
          etag={null}
          copiedFrom={copied.data ?? null}
          keptAs={saved ?? list ?? segment}
        />
      )}
    </Page>
  );
}

function copyOf(form: ReturnType<typeof formOf>) {
  return { ...form, name: `${form.name}, copy` };
}

interface InitialSources {
  list: string | undefined;
  segment: string | undefined;
  saved: SavedAudience | undefined;
}

function initialForm({ list, segment, saved }: InitialSources): Partial<CampaignForm> {
  if (saved) return { countries: saved.countries, ...copySources(saved) };
  if (list !== undefined) return { include: [{ kind: 'list', list }] };
  return segment === undefined ? {} : { include: [{ kind: 'segment', segment }] };
}
