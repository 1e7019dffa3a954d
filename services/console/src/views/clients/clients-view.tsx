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
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { Paging } from '../../parts/lists/paging.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { NewClientDialog } from './new-client-dialog.tsx';

const route = getRouteApi('/clients');
const pageSize = 50;
/** All that is due is counted for it. */
const askEveryMs = 30_000;

/** Who schedules callbacks, by which rules, and whose receivers are in trouble. */
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
        {items === undefined && clients.error !== null ? (
          <Failed title="The clients could not be read" error={clients.error} onRetry={() => void clients.refetch()} />
        ) : items?.length === 0 ? (
          text === undefined ? (
            <Empty icon="key" title="There is no client yet" command="muster clients create --help">
              A client is a service that schedules callbacks: it has its limits, and its calls are signed by its keys.
            </Empty>
          ) : (
            <NoMatch title="No client matches" onClear={() => void navigate({ search: {} })}>
              Called “{text}”.
            </NoMatch>
          )
        ) : (
          <ClientTable clients={items} hosts={scheduler.data?.hosts ?? []} counts={counts.data} />
        )}
        {items !== undefined && items.length > 0 && (
          <Paging
            cursor={cursor}
            next={clients.data?.next}
            onGo={(to) => void navigate({ search: (before) => ({ ...before, cursor: to }) })}
            words={{ before: 'Back', behind: 'Next' }}
          >
            {countOf(items.length, 'client')}, oldest first{counts.data && `. ${inWords(counts.data)}`}
          </Paging>
        )}
      </section>
      {isNew && <NewClientDialog onClose={() => setNew(false)} />}
    </Page>
  );
}

/** What became of the jobs of all of them, adding up. */
function inWords({ accepted, called, expired, cancelled, dead, stored }: JobCounts): string {
  const terms = { called, expired, cancelled, dead, stored };
  const sum = Object.entries(terms).map(([name, jobs]) => `${formatCount(jobs)} ${name}`);
  return `Of all clients: ${formatCount(accepted)} jobs accepted = ${sum.join(' + ')}`;
}

interface ClientTableProps {
  /** Undefined while they are asked for. */
  clients: readonly Client[] | undefined;
  hosts: readonly SidelinedHost[];
  /** Undefined while they are asked for. */
  counts: JobCounts | undefined;
}

const noJobs = { stored: 0, dead: 0 };

function ClientTable({ clients, hosts, counts }: ClientTableProps) {
  const rows = useRowKeys<HTMLTableSectionElement>();
  const countsOf = new Map(counts?.clients.map((each) => [each.clientId, each]));
  return (
    <div className="scroll">
      <table className="table-fixed min-w-200">
        <caption className="sr-only">Clients, oldest first</caption>
        <thead>
          <tr>
            <th scope="col">Client</th>
            <th scope="col" className="w-38 phone:w-34">
              State
            </th>
            <th scope="col" className="wide">
              Hosts in trouble
            </th>
            <th scope="col" className="w-32 text-right wide">
              Calls/s, at most
            </th>
            <th scope="col" className="w-26 text-right wide">
              At once
            </th>
            <th scope="col" className="w-46 text-right wide">
              Jobs stored, at most
            </th>
            <th scope="col" className="w-22 text-right">
              Dead
            </th>
            <th scope="col" className="w-36 wide">
              Since
            </th>
          </tr>
        </thead>
        <tbody ref={rows}>
          {clients?.map((client) => (
            <ClientRow
              key={client.id}
              client={client}
              hosts={hosts.filter(({ clientId }) => clientId === client.id)}
              jobs={counts && (countsOf.get(client.id) ?? noJobs)}
            />
          )) ?? <SkeletonRows rows={8} columns={[120, 80, 140, 50, 40, 110, 40, 90]} tall />}
        </tbody>
      </table>
    </div>
  );
}

interface ClientRowProps {
  client: Client;
  hosts: readonly SidelinedHost[];
  /** Undefined while they are asked for. */
  jobs: Pick<JobCounts, 'stored' | 'dead'> | undefined;
}

function ClientRow({ client, hosts, jobs }: ClientRowProps) {
  const { name, keys, warnings, disabledReason, enabled, publishRatePerSecond, concurrency, maxStoredJobs } = client;
  const waiting = hosts.reduce((sum, { sidelined }) => sum + sidelined, 0);
  return (
    <tr data-row className="tall">
      <td className="two">
        <div>
          <Link className="font-medium hover:underline" to="/clients/$client" params={{ client: name }} data-row-link>
            {name}
          </Link>
        </div>
        <div className={warnings.length > 0 ? 'truncate text-(--warn)!' : 'truncate'}>
          {warnings.length > 0 ? 'calls are not signed' : `signs with ${countOf(keys.length, 'key')}`}
        </div>
      </td>
      <td className="two">
        <div>
          <LookBadge look={clientLook(client, hosts.length)} />
        </div>
        <div className="truncate" title={disabledReason ?? undefined}>
          {!enabled && disabledReason}
        </div>
      </td>
      <td className="two wide">
        {hosts.length === 0 ? (
          <span className="t3">none</span>
        ) : (
          <>
            <div className="truncate">{hosts.map(({ host }) => host).join(', ')}</div>
            <div>{countOf(waiting, 'job')} waiting</div>
          </>
        )}
      </td>
      <td className="text-right wide">
        {publishRatePerSecond === undefined ? 'any' : formatCount(publishRatePerSecond)}
      </td>
      <td className="text-right wide">{formatCount(concurrency)}</td>
      <td className="text-right whitespace-nowrap wide">
        {jobs && `${formatCount(jobs.stored)} `}
        <span className="t3">of {formatCount(maxStoredJobs)}</span>
      </td>
      <td className="text-right">
        {jobs &&
          (jobs.dead === 0 ? (
            <span className="z">0</span>
          ) : (
            <Link className="c-bad hover:underline" to="/dead-letters" search={{ show: 'jobs', client: name }}>
              {formatCount(jobs.dead)}
            </Link>
          ))}
      </td>
      <td className="t2 whitespace-nowrap wide">
        <Time instant={client.createdAt} />
      </td>
    </tr>
  );
}
