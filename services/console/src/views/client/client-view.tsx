import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { getClientOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Client } from '#client/types.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { updateStatusOf } from '../../live/update-status.ts';
import { Freshness, StaleBanner } from '../../parts/standing/freshness.tsx';
import { SkeletonBar, useHasWaited } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { ClientBanners } from './client-banners.tsx';
import { ClientHead } from './client-head.tsx';
import { ClientKpis } from './client-kpis.tsx';
import { CreditPanel } from './credit-panel.tsx';
import { EndpointsPanel } from './endpoints-panel.tsx';
import { ForecastPanel } from './forecast-panel.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { LimitsPanel } from './limits-panel.tsx';
import { RulesPanel } from './rules-panel.tsx';
import { useClientFigures, useLedger } from './use-client-figures.ts';

export function ClientView() {
  const { client: ref } = useParams({ from: '/clients/$client' });
  const client = useQuery(getClientOptions({ path: { id: ref } }));
  const error = useLastError(client);
  const patience = useHasWaited();
  const ledger = useLedger(ref);
  const standing = updateStatusOf(ledger);
  return (
    <Page
      title={client.data?.name ?? ref}
      crumbs={[{ label: 'Clients', link: { to: '/clients' } }]}
      freshness={ledger.data && <Freshness standing={standing} />}
    >
      {ledger.data && <StaleBanner standing={standing} note="Its jobs are still called; only this page is outdated." />}
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
  const refusal = useRefusal('operator');
  const { ledger, load, forecast, hosts } = useClientFigures(client);
  return (
    <>
      <ClientHead client={client} sidelinedHosts={hosts.length} />
      <ClientBanners client={client} hosts={hosts} load={load.data} refusal={refusal} />
      <ClientKpis name={client.name} ledger={ledger} load={load} />
      <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,376px)] max-[1100px]:grid-cols-1">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <EndpointsPanel client={client} load={load.data} hosts={hosts} refusal={refusal} />
          <ForecastPanel forecast={forecast.data} error={forecast.error} />
          <RulesPanel client={client} />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <LimitsPanel client={client} ledger={ledger.data} refusal={refusal} />
          <KeysPanel client={client} refusal={refusal} />
          <CreditPanel load={load.data} />
        </div>
      </div>
    </>
  );
}
