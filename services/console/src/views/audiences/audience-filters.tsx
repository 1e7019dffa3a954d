import type { ListedAudience, AudienceCounts } from '#client/types.gen.ts';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { AudienceChips } from './audience-chips.tsx';
import type { AudiencesSearch } from './search.ts';

interface AudienceFiltersProps {
  search: AudiencesSearch;
  items: readonly ListedAudience[] | undefined;
  counts: AudienceCounts | undefined;
  onChoose: (change: Partial<AudiencesSearch>) => void;
}

export function AudienceFilters({ search, items, counts, onChoose }: AudienceFiltersProps) {
  const owners = [...new Set(items?.flatMap((each) => each.owner ?? []))].toSorted((a, b) => a.localeCompare(b));
  return (
    <div className="row flex-wrap">
      <AudienceChips counts={counts} search={search} onChoose={onChoose} />
      <span className="ml-auto row phone:w-full">
        <FilterMenu name="Owner" options={owners} value={search.owner} onChoose={(owner) => onChoose({ owner })} />
        <SearchField
          placeholder="Name, owner or id"
          value={search.text ?? ''}
          onSearch={(typed) => onChoose({ text: typed === '' ? undefined : typed })}
        />
      </span>
    </div>
  );
}
