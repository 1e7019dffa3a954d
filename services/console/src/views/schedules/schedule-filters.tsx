import { Button } from '../../parts/controls/button.tsx';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { Chips } from '../../parts/lists/chips.tsx';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { scheduleStates, type SchedulesSearch } from './search.ts';
import { scheduleLook } from './schedule-words.ts';

interface ScheduleFiltersProps {
  search: SchedulesSearch;
  clients: Clients;
  onChoose: (change: Partial<SchedulesSearch>) => void;
  onOpen: (dialog: 'groups' | 'days-off') => void;
}

export function ScheduleFilters({ search: { state, client, text }, clients, onChoose, onOpen }: ScheduleFiltersProps) {
  return (
    <div className="row flex-wrap">
      <Chips
        label="Filter by state"
        chosen={state ?? 'all'}
        chips={[
          { value: 'all', label: 'All' },
          ...scheduleStates.map((each) => ({ value: each, label: scheduleLook(each).word })),
        ]}
        onChoose={(value) => onChoose({ state: value === 'all' ? undefined : value })}
      />
      <span className="ml-auto row w-105 max-w-full justify-end phone:ml-0 phone:w-full phone:flex-wrap">
        <Button small onClick={() => onOpen('groups')}>
          Groups…
        </Button>
        <Button small onClick={() => onOpen('days-off')}>
          Days off…
        </Button>
        <FilterMenu
          name="Client"
          options={clients.items?.map(({ name }) => name) ?? []}
          value={client === undefined ? undefined : (clients.find(client)?.name ?? client)}
          onChoose={(value) => onChoose({ client: value })}
        />
        <SearchField
          placeholder="Name of a schedule"
          value={text ?? ''}
          onSearch={(typed) => onChoose({ text: typed === '' ? undefined : typed })}
        />
      </span>
    </div>
  );
}
