import { useQuery } from '@tanstack/react-query';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import { useSession } from '../../frame/session/session.ts';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import type { CampaignsSearch } from './search.ts';

interface CampaignFiltersProps {
  search: CampaignsSearch;
  onChoose: (change: Partial<CampaignsSearch>) => void;
}

export function CampaignFilters({ search, onChoose }: CampaignFiltersProps) {
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
        onChoose={(action) => onChoose({ action })}
      />
    </>
  );
}
