import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import {
  getClientForecastOptions,
  getClientLedgerOptions,
  getClientLoadOptions,
  getClientOptions,
  getSchedulerOptions,
} from '#client/@tanstack/react-query.gen.ts';
import type { Client } from '#client/types.gen.ts';
import { inButtons } from '../../api/in-buttons.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { standingOf } from '../../live/staleness.ts';
import { useNow } from '../../parts/browser/now.ts';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { clientLook } from '../../parts/jobs/client-look.ts';
import { HostBanner } from '../../parts/jobs/host-banner.tsx';
import { LedgerLine } from '../../parts/jobs/ledger-line.tsx';
import { Kpis } from '../../parts/panels/kpis.tsx';
import { Freshness, StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { SkeletonBar, usePatience } from '../../parts/standing/skeleton.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { ClientActions } from './client-actions.tsx';
import { clientKpis } from './client-figures.ts';
import { CreditPanel } from './credit-panel.tsx';
import { EndpointsPanel } from './endpoints-panel.tsx';
import { ForecastPanel } from './forecast-panel.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { LimitsPanel } from './limits-panel.tsx';
import { RulesPanel } from './rules-panel.tsx';

const askEveryMs = 4000;
/** It reads what is stored: less often. */
const forecastEveryMs = 30_000;
const forecastHours = 12;

/** Is it me or the receiver, how long until it is drained, what may I still send? */
export function ClientView() {
  const { client: ref } = useParams({ from: '/clients/$client' });
  const client = useQuery(getClientOptions({ path: { id: ref } }));
  const error = useKeptError(client);
  const patience = usePatience();
  const ledger = useQuery({ ...getClientLedgerOptions({ path: { id: ref } }), refetchInterval: askEveryMs });
  const standing = standingOf(ledger);
  return (
    <Page
      title={client.data?.name ?? ref}
      crumbs={[{ label: 'Clients', link: { to: '/clients' } }]}
      freshness={ledger.data && <Freshness standing={standing} />}
    >
      {ledger.data && (
        <StaleBanner standing={standing} note="Its jobs are called all the same; only this page waits." />
      )}
      {client.data ? (
        <OneClient client={client.data} />
      ) : error === null ? (
        patience && <SkeletonBar width={320} />
      ) : (
        <section className="panel">
          <h1 className="sr-only">Client {ref}</h1>
          <Failed title="The client could not be read" error={error} onRetry={() => void client.refetch()} />
        </section>
      )}
    </Page>
  );
}

function OneClient({ client }: { client: Client }) {
  const { id, name } = client;
  const path = { id };
  const now = useNow();
  const operator = useRefusal('operator');
  const ledger = useQuery({ ...getClientLedgerOptions({ path: { id: name } }), refetchInterval: askEveryMs });
  const forecast = useQuery({
    ...getClientForecastOptions({ path, query: { hours: forecastHours } }),
    refetchInterval: forecastEveryMs,
  });
  const load = useQuery({ ...getClientLoadOptions({ path: { id: name } }), refetchInterval: askEveryMs });
  // All that is due is counted for it: seldom, while none of its jobs waits for a host.
  const hostsEveryMs = (ledger.data?.sidelined ?? 0) > 0 ? 10_000 : 60_000;
  const scheduler = useQuery({ ...getSchedulerOptions(), refetchInterval: hostsEveryMs });
  const hosts = (scheduler.data?.hosts ?? []).filter(({ clientId }) => clientId === id);
  const isOld = useIsStale(standingOf(ledger));
  return (
    <>
      <div className="head">
        <div className="min-w-0">
          <div className="row flex-wrap">
            <h1 className="truncate">{name}</h1>
            <LookBadge look={clientLook(client, hosts.length)} tinted />
          </div>
          <div className="meta">
            <CopyableId id={id} what="id of the client" />
            <span>
              Since{' '}
              <b>
                <Time instant={client.createdAt} />
              </b>
            </span>
            <span>
              Signs with <b>{countOf(client.keys.length, 'key')}</b>
            </span>
          </div>
        </div>
        <ClientActions client={client} />
      </div>
      {!client.enabled && (
        <div className="banner" role="status">
          <Icon name="paused" />
          <div>
            <b>
              {name} is paused{client.disabledReason === null ? '.' : `: ${client.disabledReason}.`}
            </b>{' '}
            <span className="t2">Nothing is accepted for it and nothing is called; what is stored waits.</span>
          </div>
        </div>
      )}
      {client.warnings.map(({ code, detail }) => (
        <div key={code} className="banner" role="status">
          <Icon name="warn" />
          <div className="min-w-0 wrap-anywhere">{inButtons(detail)}</div>
        </div>
      ))}
      {hosts.map((host) => (
        <HostBanner
          key={`${host.endpoint ?? ''} ${host.host}`}
          host={host}
          client={name}
          refusal={operator}
          maxCallsPerSecond={load.data?.endpoints.find(({ endpoint }) => endpoint === host.endpoint)?.maxCallsPerSecond}
        />
      ))}
      {load.error !== null && load.data === undefined && (
        <section className="panel">
          <Failed title="The load could not be read" error={load.error} onRetry={() => void load.refetch()} />
        </section>
      )}
      {ledger.error !== null && ledger.data === undefined && (
        <section className="panel">
          <Failed title="The figures could not be read" error={ledger.error} onRetry={() => void ledger.refetch()} />
        </section>
      )}
      {ledger.data && (
        <>
          <Kpis
            isOld={isOld}
            kpis={clientKpis(ledger.data, load.data, now).map(({ link, note, ...kpi }) => ({
              ...kpi,
              note: link ? (
                <>
                  {note} ·{' '}
                  <Link className="link underline" to="/dead-letters" search={{ show: 'jobs', client: name }}>
                    see them
                  </Link>
                </>
              ) : (
                note
              ),
            }))}
          />
          <LedgerLine ledger={ledger.data} />
        </>
      )}
      <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,376px)] max-[1100px]:grid-cols-1">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <EndpointsPanel client={client} load={load.data} hosts={hosts} refusal={operator} />
          <ForecastPanel forecast={forecast.data} error={forecast.error} />
          <RulesPanel client={client} />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <LimitsPanel client={client} ledger={ledger.data} load={load.data} refusal={operator} />
          <KeysPanel client={client} refusal={operator} />
          <CreditPanel load={load.data} />
        </div>
      </div>
    </>
  );
}
