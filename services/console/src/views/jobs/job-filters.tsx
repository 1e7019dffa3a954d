import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listClientEndpointsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { dueSpans, jobPriorities, type JobsSearch } from './search.ts';

interface JobFiltersProps {
  search: JobsSearch;
  clients: Clients;
  onChoose: (change: Partial<JobsSearch>) => void;
}

export function JobFilters({ search, clients, onChoose }: JobFiltersProps) {
  const { client, tag, endpoint, key, priority, due, name } = search;
  const { data } = useQuery({
    ...listClientEndpointsOptions({ path: { id: client ?? '' } }),
    enabled: client !== undefined,
    staleTime: 60_000,
  });
  const endpoints = data?.items.map((each) => each.name) ?? [];
  return (
    <header className="pl-2.5 flex-wrap">
      <SearchField
        placeholder={client === undefined ? 'Id of a job' : 'Id or key of a job'}
        value={name ?? ''}
        onSearch={(text) => onChoose({ name: text === '' ? undefined : text })}
      />
      <FilterMenu
        name="Client"
        options={clients.items?.map((each) => each.name) ?? []}
        value={client === undefined ? undefined : (clients.find(client)?.name ?? client)}
        onChoose={(value) => onChoose({ client: value, endpoint: undefined })}
      />
      {(endpoints.length > 1 || endpoint !== undefined) && (
        <FilterMenu
          name="Endpoint"
          options={endpoints}
          value={endpoint}
          onChoose={(value) => onChoose({ endpoint: value })}
        />
      )}
      <FilterMenu
        name="Due"
        options={dueSpans}
        value={due}
        onChoose={(value) => onChoose({ due: dueSpans.find((each) => each === value) })}
      />
      <FilterMenu
        name="Priority"
        options={jobPriorities}
        value={priority}
        onChoose={(value) => onChoose({ priority: jobPriorities.find((each) => each === value) })}
      />
      <TypedFilter name="Tag" value={tag} onChoose={(value) => onChoose({ tag: value })} />
      {(client !== undefined || key !== undefined) && (
        <TypedFilter name="Ordering key" value={key} onChoose={(value) => onChoose({ key: value })} />
      )}
    </header>
  );
}

interface TypedFilterProps {
  name: string;
  value: string | undefined;
  onChoose: (value: string | undefined) => void;
}

/** A filter that is typed, because there are too many values for a menu. */
function TypedFilter({ name, value, onChoose }: TypedFilterProps) {
  const [typed, setTyped] = useState<string>();
  const apply = () => {
    if (typed === undefined) return;
    onChoose(typed.trim() === '' ? undefined : typed.trim());
    setTyped(undefined);
  };
  return (
    <label className={value === undefined ? 'filt' : 'filt on'}>
      {name}
      <input
        className="bare w-24 font-medium"
        placeholder="any"
        value={typed ?? value ?? ''}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={apply}
        onKeyDown={({ key }) => key === 'Enter' && apply()}
      />
    </label>
  );
}
