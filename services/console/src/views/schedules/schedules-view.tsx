import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { getScheduleOptions, listSchedulesOptions } from '#client/@tanstack/react-query.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { standingOf } from '../../live/staleness.ts';
import { Button } from '../../parts/controls/button.tsx';
import { useClients } from '../../parts/jobs/use-clients.ts';
import { Chips } from '../../parts/lists/chips.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { Freshness, StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { GroupsDialog } from './groups-dialog.tsx';
import { NewScheduleDialog } from './new-schedule-dialog.tsx';
import { SchedulePanel } from './schedule-panel.tsx';
import { ScheduleTable } from './schedule-table.tsx';
import { scheduleStates, type SchedulesSearch } from './search.ts';
import { scheduleLook } from './schedule-words.ts';
import { WorkCalendarsDialog } from './work-calendars-dialog.tsx';

const route = getRouteApi('/schedules');
const pageSize = 50;
const askEveryMs = 4000;

/** What recurs, when it fires next, and what a change of the clocks does to it. */
export function SchedulesView() {
  const search = route.useSearch();
  const { state, client, text, id, cursor } = search;
  const navigate = route.useNavigate();
  const [asked, setAsked] = useState<'new' | 'groups' | 'days-off'>();
  const refusal = useRefusal('scheduler');
  const clients = useClients();
  // The list is filtered by id: a name that is not known yet waits for its client.
  const clientId = client === undefined || client.startsWith('cli_') ? client : clients.find(client)?.id;
  const query = {
    limit: pageSize,
    ...(state !== undefined && { state }),
    ...(clientId !== undefined && { clientId }),
    ...(text !== undefined && { q: text }),
    ...(cursor !== undefined && { cursor }),
  };
  const schedules = useQuery({
    ...listSchedulesOptions({ query }),
    enabled: client === undefined || clientId !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: askEveryMs,
  });
  const items = schedules.data?.items;
  const shownId = id ?? items?.[0]?.id;
  const shown = useQuery({ ...getScheduleOptions({ path: { id: id ?? '' } }), enabled: id !== undefined });
  const schedule = items?.find((each) => each.id === shownId) ?? (id === undefined ? undefined : shown.data);
  const standing = standingOf(schedules);
  const isOld = useIsStale(standing) || schedules.isPlaceholderData;
  const go = (change: Partial<SchedulesSearch>) => void navigate({ search: (before) => ({ ...before, ...change }) });
  const choose = (change: Partial<SchedulesSearch>) => go({ cursor: undefined, id: undefined, ...change });
  const isFiltered = state !== undefined || client !== undefined || text !== undefined;
  return (
    <Page
      title="Schedules"
      freshness={schedules.data && <Freshness standing={standing} />}
      actions={
        <Button kind="ink" icon="plus" refusal={refusal} onClick={() => setAsked('new')}>
          <span className="wide">New schedule</span>
          <span className="narrow">New</span>
        </Button>
      }
    >
      {schedules.data && <StaleBanner standing={standing} note="Schedules fire all the same; only this page waits." />}
      <div className="row flex-wrap">
        <Chips
          label="Filter by state"
          chosen={state ?? 'all'}
          chips={[
            { value: 'all', label: 'All' },
            ...scheduleStates.map((each) => ({ value: each, label: scheduleLook(each).word })),
          ]}
          onChoose={(value) => choose({ state: value === 'all' ? undefined : value })}
        />
        <span className="ml-auto row w-105 max-w-full justify-end phone:ml-0 phone:w-full phone:flex-wrap">
          <Button small onClick={() => setAsked('groups')}>
            Groups…
          </Button>
          <Button small onClick={() => setAsked('days-off')}>
            Days off…
          </Button>
          <FilterMenu
            name="Client"
            options={clients.items?.map(({ name }) => name) ?? []}
            value={client === undefined ? undefined : (clients.find(client)?.name ?? client)}
            onChoose={(value) => choose({ client: value })}
          />
          <SearchField
            placeholder="Name of a schedule"
            value={text ?? ''}
            onSearch={(typed) => choose({ text: typed === '' ? undefined : typed })}
          />
        </span>
      </div>
      <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,380px)] max-[1180px]:grid-cols-1">
        <section className="panel" aria-label="Schedules">
          <ListView
            what="The schedules"
            query={schedules}
            items={items}
            empty={
              isFiltered ? (
                <NoMatch
                  title="No schedule matches"
                  onClear={() => choose({ state: undefined, client: undefined, text: undefined })}
                >
                  {filterWords(search)}
                </NoMatch>
              ) : (
                <Empty icon="sched" title="Nothing recurs yet" command="muster schedules create --help">
                  A schedule calls a client’s service, or starts a campaign, again and again by a rule.
                </Empty>
              )
            }
          >
            <ScheduleTable schedules={items} {...{ shownId, clients, isOld }} onShow={(each) => go({ id: each })} />
            {items && (
              <Paging cursor={cursor} next={schedules.data?.next} onGo={(to) => go({ cursor: to, id: undefined })}>
                {countOf(items.length, 'schedule')}, newest first
              </Paging>
            )}
          </ListView>
        </section>
        {schedule ? (
          <SchedulePanel key={schedule.id} schedule={schedule} clients={clients} />
        ) : (
          id !== undefined &&
          shown.error !== null && (
            <section className="panel">
              <Failed title="The schedule could not be read" error={shown.error} />
            </section>
          )
        )}
      </div>
      {asked === 'new' && (
        <NewScheduleDialog
          {...{ clients, client }}
          onMade={(made) => choose({ id: made })}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'groups' && <GroupsDialog onClose={() => setAsked(undefined)} />}
      {asked === 'days-off' && <WorkCalendarsDialog onClose={() => setAsked(undefined)} />}
    </Page>
  );
}

/** `Paused, client shop, called “close”.` */
function filterWords({ state, client, text }: SchedulesSearch): string {
  const words = [
    state ?? '',
    client === undefined ? '' : `client ${client}`,
    text === undefined ? '' : `called “${text}”`,
  ].filter((each) => each !== '');
  const joined = words.join(', ');
  return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`;
}
