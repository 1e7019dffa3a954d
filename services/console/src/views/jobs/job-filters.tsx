import { useState } from 'react';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { dueSpans, type JobsSearch } from './search.ts';

interface JobFiltersProps {
  search: JobsSearch;
  clients: Clients;
  onChoose: (change: Partial<JobsSearch>) => void;
}

export function JobFilters({ search: { client, tag, due, name }, clients, onChoose }: JobFiltersProps) {
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
        onChoose={(value) => onChoose({ client: value })}
      />
      <FilterMenu
        name="Due"
        options={dueSpans}
        value={due}
        onChoose={(value) => onChoose({ due: dueSpans.find((each) => each === value) })}
      />
      <TagFilter value={tag} onChoose={(value) => onChoose({ tag: value })} />
    </header>
  );
}

/** Tags are many: one is typed. */
function TagFilter({ value, onChoose }: { value: string | undefined; onChoose: (tag: string | undefined) => void }) {
  const [typed, setTyped] = useState<string>();
  const say = () => {
    if (typed === undefined) return;
    onChoose(typed.trim() === '' ? undefined : typed.trim());
    setTyped(undefined);
  };
  return (
    <label className={value === undefined ? 'filt' : 'filt on'}>
      Tag
      <input
        className="bare w-24 font-medium"
        placeholder="any"
        value={typed ?? value ?? ''}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={say}
        onKeyDown={({ key }) => key === 'Enter' && say()}
      />
    </label>
  );
}
