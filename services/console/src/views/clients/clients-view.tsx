import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { countJobsOptions, getSchedulerOptions, listClientsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Client, JobCounts } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import type { SidelinedHost } from '../../parts/jobs/host-banner.tsx';
import { clientLook } from '../../parts/jobs/client-look.ts';
import { countColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { NewClientDialog } from './new-client-dialog.tsx';

const route = getRouteApi('/clients');
const pageSize = 50;
/** Polling interval in milliseconds. It is long, because the API counts all due jobs for the answer. */
const askEveryMs = 30_000;

export function ClientsView() {
  const { text, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = useRefusal('operator');
  const [isNew, setNew] = useState(false);
  const query = { limit: pageSize, ...(text !== undefined && { q: text }), ...(cursor !== undefined && { cursor }) };
  const clients = useQuery({ ...listClientsOptions({ query }), placeholderData: keepPreviousData });
  const scheduler = useQuery({ ...getSchedulerOptions(), refetchInterval: askEveryMs });
  const counts = useQuery({ ...countJobsOptions(), refetchInterval: askEveryMs });
  const items = clients.data?.items;
  return (
    <Page
      title="Clients"
      actions={
        <Button kind="ink" icon="plus" refusal={refusal} onClick={() => setNew(true)}>
          <span className="wide">New client</span>
          <span className="narrow">New</span>
        </Button>
      }
    >
      <section className="panel" aria-label="Clients">
        <header className="pl-2.5">
          <SearchField
            placeholder="Name of a client"
            value={text ?? ''}
            onSearch={(typed) => void navigate({ search: { text: typed === '' ? undefined : typed } })}
          />
        </header>
        <ListView
          what="The clients"
          query={clients}
          items={items}
          empty={
            text === undefined ? (
              <Empty icon="key" title="No clients yet" command="muster clients create --help">
                A client is a service that schedules callbacks. It has its own limits and signing keys.
              </Empty>
            ) : (
              <NoMatch title="No client matches" onClear={() => void navigate({ search: {} })}>
                No name contains “{text}”.
              </NoMatch>
            )
          }
        >
          <ClientTable clients={items} hosts={scheduler.data?.hosts ?? []} counts={counts.data} />
          {items && (
            <Paging
              cursor={cursor}
              next={clients.data?.next}
              onGo={(to) => void navigate({ search: (before) => ({ ...before, cursor: to }) })}
              words={{ before: 'Back', behind: 'Next' }}
            >
              {countOf(items.length, 'client')}, oldest first{counts.data && `. ${describeCounts(counts.data)}`}
            </Paging>
          )}
        </ListView>
      </section>
      {isNew && <NewClientDialog onClose={() => setNew(false)} />}
    </Page>
  );
}

function describeCounts({ accepted, called, expired, cancelled, dead, stored }: JobCounts): string {
  const terms = { called, expired, cancelled, dead, stored };
  const sum = Object.entries(terms).map(([name, jobs]) => `${formatCount(jobs)} ${name}`);
  return `All clients: ${formatCount(accepted)} jobs accepted = ${sum.join(' + ')}`;
}

interface ClientTableProps {
  clients: readonly Client[] | undefined;
  hosts: readonly SidelinedHost[];
  counts: JobCounts | undefined;
}

const noJobs = { stored: 0, dead: 0 };

function ClientTable({ clients, hosts, counts }: ClientTableProps) {
  const countsByClient = new Map(counts?.clients.map((each) => [each.clientId, each]));
  const rows = clients?.map((client) => ({
    ...client,
    hosts: hosts.filter(({ clientId }) => clientId === client.id),
    jobs: counts && (countsByClient.get(client.id) ?? noJobs),
  }));
  return (
    <div className="scroll">
      <DataTable
        caption="Clients, oldest first"
        className="table-fixed min-w-200"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        isTall
        hasRowKeys
        loadingRows={8}
      />
    </div>
  );
}

interface ClientLine extends Client {
  hosts: readonly SidelinedHost[];
  jobs: Pick<JobCounts, 'stored' | 'dead'> | undefined;
}

const columns: readonly Column<ClientLine>[] = [
  {
    header: 'Client',
    cell: ({ name }) => (
      <Link className="font-medium hover:underline" to="/clients/$client" params={{ client: name }} data-row-link>
        {name}
      </Link>
    ),
    below: ({ endpoint: { keys, warnings } }) => (
      <div className={warnings.length > 0 ? 'truncate text-(--warn)!' : 'truncate'}>
        {warnings.length > 0 ? 'calls are not signed' : `signs with ${countOf(keys.length, 'key')}`}
      </div>
    ),
  },
  {
    header: 'State',
    width: 'w-38 phone:w-34',
    cell: (client) => <LookBadge look={clientLook(client.endpoint, client.hosts.length)} />,
    below: ({ endpoint: { enabled, disabledReason } }) => (
      <div className="truncate" title={disabledReason ?? undefined}>
        {!enabled && disabledReason}
      </div>
    ),
  },
  {
    header: 'Sidelined hosts',
    hideBelow: 'phone',
    cell: ({ hosts }) =>
      hosts.length === 0 ? (
        <span className="t3">none</span>
      ) : (
        <div className="truncate">{hosts.map(({ host }) => host).join(', ')}</div>
      ),
    below: ({ hosts }) =>
      hosts.length > 0 &&
      `${countOf(
        hosts.reduce((sum, { sidelined }) => sum + sidelined, 0),
        'job',
      )} waiting`,
  },
  {
    header: 'Calls/s, at most',
    align: 'right',
    width: 'w-32',
    hideBelow: 'phone',
    cell: ({ endpoint: { publishRatePerSecond: rate } }) => (rate === undefined ? 'any' : formatCount(rate)),
  },
  countColumn('At once', ({ endpoint }) => endpoint.concurrency, { width: 'w-26', hideBelow: 'phone' }),
  {
    header: 'Jobs stored, at most',
    align: 'right',
    width: 'w-46',
    hideBelow: 'phone',
    look: 'whitespace-nowrap',
    cell: ({ jobs, maxStoredJobs }) => (
      <>
        {jobs && `${formatCount(jobs.stored)} `}
        <span className="t3">of {formatCount(maxStoredJobs)}</span>
      </>
    ),
  },
  { header: 'Dead', align: 'right', width: 'w-22', cell: (client) => <DeadJobs client={client} /> },
  {
    header: 'Since',
    width: 'w-36',
    hideBelow: 'phone',
    look: 't2 whitespace-nowrap',
    cell: ({ createdAt }) => <Time instant={createdAt} />,
  },
];

function DeadJobs({ client: { name, jobs } }: { client: ClientLine }) {
  if (jobs === undefined) return null;
  if (jobs.dead === 0) return <span className="z">0</span>;
  return (
    <Link className="c-bad hover:underline" to="/quarantine" search={{ kind: 'job', client: name }}>
      {formatCount(jobs.dead)}
    </Link>
  );
}
