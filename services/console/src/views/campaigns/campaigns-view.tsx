import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ListedCampaign } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { useLiveCampaigns } from '../../live/live-runs.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Chips, type Chip } from '../../parts/lists/chips.tsx';
import { Freshness, StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { CampaignFilters } from './campaign-filters.tsx';
import { CampaignList } from './campaign-list.tsx';
import type { CampaignsSearch } from './search.ts';
import { useCampaignCounts, useCampaigns } from './use-campaigns.ts';

export function CampaignsView() {
  const search = useSearch({ from: '/campaigns' });
  const navigate = useNavigate({ from: '/campaigns' });
  const campaigns = useCampaigns(search);
  const counts = useCampaignCounts(search);
  const standing = useLiveCampaigns(openRuns(campaigns.data?.items ?? []));
  const isStale = useIsStale(standing);
  // A new filter starts with its first page.
  const choose = (change: Partial<CampaignsSearch>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, cursor: undefined, ...change }) });
  return (
    <Page title="Campaigns" freshness={<Freshness standing={standing} />} actions={<NewCampaign />}>
      <Chips
        label="Filter by state"
        chips={chipsOf(counts.data)}
        chosen={search.state ?? 'all'}
        onChoose={(value) => choose({ state: value === 'all' ? undefined : value })}
      />
      <StaleBanner standing={standing} note="Runs continue; only this page is outdated." />
      <section className="panel" aria-label="Campaigns">
        <header className="pl-2.5">
          <SearchField
            placeholder="Name, id or description"
            value={search.text ?? ''}
            onSearch={(text) => choose({ text: text === '' ? undefined : text })}
          />
          <CampaignFilters search={search} formatCodes={campaigns.data?.items ?? []} onChoose={choose} />
        </header>
        <CampaignList
          query={campaigns}
          search={search}
          isOld={isStale}
          total={totalOf(counts.data, search.state)}
          totalOfAll={counts.data?.all}
          onChoose={choose}
        />
      </section>
    </Page>
  );
}

function openRuns(items: readonly ListedCampaign[]): string[] {
  return items.flatMap(({ run }) => (run?.endedAt === null ? [run.runId] : []));
}

function NewCampaign() {
  const refusal = useRefusal('manager');
  const words = (
    <>
      <span className="wide">New campaign</span>
      <span className="narrow">New</span>
    </>
  );
  if (refusal !== undefined) {
    return (
      <Button kind="ink" icon="plus" refusal={refusal}>
        {words}
      </Button>
    );
  }
  return (
    <Link to="/campaigns/new" className="btn ink">
      <Icon name="plus" />
      {words}
      <kbd className="wide" aria-hidden="true">
        C
      </kbd>
    </Link>
  );
}

type Counts = ReturnType<typeof useCampaignCounts>['data'];
type Choice = NonNullable<CampaignsSearch['state']> | 'all';

function chipsOf(counts: Counts): Chip<Choice>[] {
  return [
    { value: 'all', label: 'All', count: counts?.all },
    { value: 'needs-attention', label: 'Needs attention', count: counts?.needsAttention, warns: true },
    { value: 'running', label: 'Running', count: counts?.running },
    { value: 'paused', label: 'Paused', count: counts?.paused },
    { value: 'scheduled', label: 'Scheduled', count: counts?.scheduled },
    { value: 'draft', label: 'Draft', count: counts?.draft },
    { value: 'ended', label: 'Ended', count: counts?.ended },
    { value: 'archived', label: 'Archived', count: counts?.archived },
  ];
}

function totalOf(counts: Counts, state: CampaignsSearch['state']): number | undefined {
  if (!counts) return undefined;
  if (state === 'needs-attention') return counts.needsAttention;
  return counts[state ?? 'all'];
}

/** Removes empty filters from the address. */
function withoutEmpty(search: CampaignsSearch): CampaignsSearch {
  const chosen = Object.entries(search).filter(([, value]) => value !== undefined);
  return Object.fromEntries(chosen);
}
