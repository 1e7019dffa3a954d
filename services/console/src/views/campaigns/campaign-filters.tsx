import { useQuery } from '@tanstack/react-query';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedCampaign } from '#client/types.gen.ts';
import { useSession } from '../../frame/session/session.ts';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import type { CampaignsSearch } from './search.ts';
import { titleOf } from '../../parts/words/action-titles.ts';

interface CampaignFiltersProps {
  search: CampaignsSearch;
  formatCodes: readonly Pick<ListedCampaign, 'tags' | 'owner'>[];
  onChoose: (change: Partial<CampaignsSearch>) => void;
}

export function CampaignFilters({ search, formatCodes, onChoose }: CampaignFiltersProps) {
  const { installation } = useSession();
  const { data: actionTypes } = useQuery({ ...listActionTypesOptions(), staleTime: 60_000 });
  const countries = [
    ...new Set([...(installation.countries ?? []), ...(search.country === undefined ? [] : [search.country])]),
  ];
  return (
    <>
      {countries.length > 0 && (
        <FilterMenu
          name="Country"
          options={countries}
          value={search.country}
          onChoose={(country) => onChoose({ country })}
        />
      )}
      <FilterMenu
        name="Action"
        options={(actionTypes?.items ?? []).map(({ name }) => name)}
        value={search.action}
        labelOf={titleOf}
        onChoose={(action) => onChoose({ action })}
      />
      <FilterMenu
        name="Tag"
        options={offered(formatCodes.flatMap(({ tags = [] }) => tags))}
        value={search.tag}
        onChoose={(tag) => onChoose({ tag })}
      />
      <FilterMenu
        name="Owner"
        options={offered(formatCodes.flatMap(({ owner }) => owner ?? []))}
        value={search.owner}
        onChoose={(owner) => onChoose({ owner })}
      />
      {search.segment !== undefined && (
        <FilterMenu
          name="Segment"
          options={[]}
          value={search.segment}
          onChoose={() => onChoose({ segment: undefined })}
        />
      )}
      {search.savedAudience !== undefined && (
        <FilterMenu
          name="Saved audience"
          options={[]}
          value={shortId(search.savedAudience)}
          onChoose={() => onChoose({ savedAudience: undefined })}
        />
      )}
      {search.list !== undefined && (
        <FilterMenu
          name="List"
          options={[]}
          value={shortId(search.list)}
          onChoose={() => onChoose({ list: undefined })}
        />
      )}
    </>
  );
}

function offered(values: readonly string[]): string[] {
  return [...new Set(values)].sort((a, b) => a.localeCompare(b));
}
