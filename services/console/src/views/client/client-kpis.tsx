import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ClientLedger, ClientLoad, Problem } from '#client/types.gen.ts';
import { updateStatusOf } from '../../live/update-status.ts';
import { useNow } from '../../parts/browser/now.ts';
import { LedgerLine } from '../../parts/jobs/ledger-line.tsx';
import { Kpis } from '../../parts/panels/kpis.tsx';
import { useIsStale } from '../../parts/standing/freshness.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { createClientKpis, type ClientKpi } from './client-figures.ts';

interface ClientKpisProps {
  name: string;
  ledger: UseQueryResult<ClientLedger, Problem>;
  load: UseQueryResult<ClientLoad, Problem>;
}

export function ClientKpis({ name, ledger, load }: ClientKpisProps) {
  const now = useNow();
  const isOld = useIsStale(updateStatusOf(ledger));
  return (
    <>
      <FailedQuery title="The load could not be read" query={load} />
      <FailedQuery title="The figures could not be read" query={ledger} />
      {ledger.data && (
        <>
          <Kpis
            isOld={isOld}
            kpis={createClientKpis(ledger.data, load.data, now).map(({ link, note, ...kpi }) => ({
              ...kpi,
              note: link ? <DeadJobsNote client={name} note={note} /> : note,
            }))}
          />
          <LedgerLine ledger={ledger.data} />
        </>
      )}
    </>
  );
}

function FailedQuery({ title, query }: { title: string; query: ClientKpisProps['ledger'] | ClientKpisProps['load'] }) {
  if (query.error === null || query.data !== undefined) return null;
  return (
    <section className="panel">
      <Failed title={title} error={query.error} onRetry={() => void query.refetch()} />
    </section>
  );
}

function DeadJobsNote({ client, note }: Pick<ClientKpi, 'note'> & { client: string }) {
  return (
    <>
      {note} ·{' '}
      <Link className="link underline" to="/quarantine" search={{ kind: 'job', client }}>
        see them
      </Link>
    </>
  );
}
