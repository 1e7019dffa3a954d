import { Chips } from '../../parts/lists/chips.tsx';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { findChip, standingChips, findChipStanding } from './key-filters.ts';
import { keyRoles, type KeysSearch } from './search.ts';

interface KeyFiltersProps {
  search: KeysSearch;
  /** Number of keys by chip; undefined if it is not counted. */
  counts: Readonly<Record<string, number | undefined>>;
  onChoose: (change: Partial<KeysSearch>) => void;
}

export function KeyFilters({ search, counts, onChoose }: KeyFiltersProps) {
  return (
    <div className="row flex-wrap">
      <Chips
        label="Filter by state"
        chosen={findChip(search)}
        chips={standingChips.map(({ value, label, warns = false }) => ({
          value,
          label,
          warns,
          count: counts[value],
        }))}
        onChoose={(value) => onChoose(findChipStanding(value))}
      />
      <span className="ml-auto row phone:w-full phone:flex-wrap">
        <FilterMenu
          name="Role"
          options={keyRoles}
          value={search.role}
          onChoose={(value) => onChoose({ role: keyRoles.find((each) => each === value) })}
        />
        <SearchField
          placeholder="Name or owner"
          value={search.text ?? ''}
          onSearch={(typed) => onChoose({ text: typed === '' ? undefined : typed })}
        />
      </span>
    </div>
  );
}
