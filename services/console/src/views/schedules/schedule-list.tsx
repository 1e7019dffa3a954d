import type { UseQueryResult } from '@tanstack/react-query';
import type { ListSchedulesResponse, Problem } from '#client/types.gen.ts';
import { ListView } from '../../parts/data-table/list-view.tsx';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { Paging } from '../../parts/lists/paging.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { ScheduleTable } from './schedule-table.tsx';
import type { SchedulesSearch } from './search.ts';

interface ScheduleListProps {
  query: UseQueryResult<ListSchedulesResponse, Problem>;
  search: SchedulesSearch;
  clients: Clients;
  isOld: boolean;
  /** Changes a filter, which also returns to the first page. */
  onChoose: (change: Partial<SchedulesSearch>) => void;
  onGo: (change: Partial<SchedulesSearch>) => void;
}

export function ScheduleList({ query, search, clients, isOld, onChoose, onGo }: ScheduleListProps) {
  const items = query.data?.items;
  const noSchedule = (
    <NoSchedule search={search} onClear={() => onChoose({ state: undefined, client: undefined, text: undefined })} />
  );
  return (
    <section className="panel" aria-label="Schedules">
      <ListView what="The schedules" query={query} items={items} empty={noSchedule}>
        <ScheduleTable
          schedules={items}
          chosenId={search.id ?? items?.[0]?.id}
          clients={clients}
          isOld={isOld}
          onShow={(id) => onGo({ id })}
        />
        {items && (
          <Paging cursor={search.cursor} next={query.data?.next} onGo={(cursor) => onGo({ cursor, id: undefined })}>
            {countOf(items.length, 'schedule')}, newest first
          </Paging>
        )}
      </ListView>
    </section>
  );
}

function NoSchedule({ search, onClear }: { search: SchedulesSearch; onClear: () => void }) {
  const { state, client, text } = search;
  if ([state, client, text].some((each) => each !== undefined))
    return (
      <NoMatch title="No schedule matches" onClear={onClear}>
        {describeFilters(search)}
      </NoMatch>
    );
  return (
    <Empty icon="sched" title="No schedules yet" command="muster schedules create --help">
      A schedule calls the service of a client, or starts a campaign, repeatedly by a rule.
    </Empty>
  );
}

/** Describes the filters: `Paused, client shop, name “close”.` */
function describeFilters({ state, client, text }: SchedulesSearch): string {
  const words = [
    state ?? '',
    client === undefined ? '' : `client ${client}`,
    text === undefined ? '' : `name “${text}”`,
  ].filter((each) => each !== '');
  const joined = words.join(', ');
  return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`;
}
