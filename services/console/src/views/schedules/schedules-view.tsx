import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { getScheduleOptions, listSchedulesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Schedule } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { updateStatusOf } from '../../live/update-status.ts';
import { Button } from '../../parts/controls/button.tsx';
import { useClients, type Clients } from '../../parts/jobs/use-clients.ts';
import { Freshness, StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { GroupsDialog } from './groups-dialog.tsx';
import { NewScheduleDialog } from './new-schedule-dialog.tsx';
import { ScheduleFilters } from './schedule-filters.tsx';
import { ScheduleList } from './schedule-list.tsx';
import { SchedulePanel } from './schedule-panel.tsx';
import type { SchedulesSearch } from './search.ts';
import { WorkCalendarsDialog } from './work-calendars-dialog.tsx';

const route = getRouteApi('/schedules');
const pageSize = 50;
const pollEveryMs = 4000;

/** View of the schedules: recurring jobs and campaigns, their next fires, and effects of clock changes. */
export function SchedulesView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [dialog, setDialog] = useState<'new' | 'groups' | 'days-off'>();
  const clients = useClients();
  const schedules = useSchedules(search, clients);
  const items = schedules.data?.items;
  const standing = updateStatusOf(schedules);
  const isOld = useIsStale(standing) || schedules.isPlaceholderData;
  const go = (change: Partial<SchedulesSearch>) => void navigate({ search: (before) => ({ ...before, ...change }) });
  const choose = (change: Partial<SchedulesSearch>) => go({ cursor: undefined, id: undefined, ...change });
  const close = () => setDialog(undefined);
  return (
    <Page
      title="Schedules"
      freshness={schedules.data && <Freshness standing={standing} />}
      actions={<NewScheduleButton onClick={() => setDialog('new')} />}
    >
      {schedules.data && <StaleBanner standing={standing} note="Schedules still fire; only this page is outdated." />}
      <ScheduleFilters search={search} clients={clients} onChoose={choose} onOpen={setDialog} />
      <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,380px)] max-[1180px]:grid-cols-1">
        <ScheduleList query={schedules} search={search} clients={clients} isOld={isOld} onChoose={choose} onGo={go} />
        <ChosenSchedule id={search.id} items={items} clients={clients} />
      </div>
      {dialog === 'new' && (
        <NewScheduleDialog
          clients={clients}
          client={search.client}
          onCreated={(id) => choose({ id })}
          onClose={close}
        />
      )}
      {dialog === 'groups' && <GroupsDialog onClose={close} />}
      {dialog === 'days-off' && <WorkCalendarsDialog onClose={close} />}
    </Page>
  );
}

function useSchedules({ state, client, text, cursor }: SchedulesSearch, clients: Clients) {
  // The API filters by the id of a client. A client's name is therefore ignored until the clients are loaded.
  const clientId = client === undefined || client.startsWith('cli_') ? client : clients.find(client)?.id;
  const query = {
    limit: pageSize,
    ...(state !== undefined && { state }),
    ...(clientId !== undefined && { clientId }),
    ...(text !== undefined && { q: text }),
    ...(cursor !== undefined && { cursor }),
  };
  return useQuery({
    ...listSchedulesOptions({ query }),
    enabled: client === undefined || clientId !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: pollEveryMs,
  });
}

function NewScheduleButton({ onClick }: { onClick: () => void }) {
  const refusal = useRefusal('scheduler');
  return (
    <Button kind="ink" icon="plus" refusal={refusal} onClick={onClick}>
      <span className="wide">New schedule</span>
      <span className="narrow">New</span>
    </Button>
  );
}

interface ChosenScheduleProps {
  /** Id of the chosen schedule; undefined means the first schedule of the list. */
  id: string | undefined;
  items: readonly Schedule[] | undefined;
  clients: Clients;
}

/** Details of the chosen schedule, which may be on another page of the list. */
function ChosenSchedule({ id, items, clients }: ChosenScheduleProps) {
  const { data, error } = useQuery({ ...getScheduleOptions({ path: { id: id ?? '' } }), enabled: id !== undefined });
  const schedule = id === undefined ? items?.[0] : (items?.find((each) => each.id === id) ?? data);
  if (schedule) return <SchedulePanel key={schedule.id} schedule={schedule} clients={clients} />;
  if (id === undefined || error === null) return null;
  return (
    <section className="panel">
      <Failed title="The schedule could not be read" error={error} />
    </section>
  );
}
