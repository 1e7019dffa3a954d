import { useQuery } from '@tanstack/react-query';
import { listClientEndpointsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Client, ClientEndpoint } from '#client/types.gen.ts';
import { CallUrl } from '../../parts/jobs/call-url.tsx';
import { clientLook } from '../../parts/jobs/client-look.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { formatCount } from '../../parts/words/numbers.ts';

/** Receivers that its jobs may name, each with limits of its own. */
export function EndpointsPanel({ client }: { client: Client }) {
  const { data, error, refetch } = useQuery(listClientEndpointsOptions({ path: { id: client.id } }));
  return (
    <Panel title="Endpoints" note="a job may name one; each has limits of its own">
      {data === undefined && error !== null ? (
        <Failed title="The endpoints could not be read" error={error} onRetry={() => void refetch()} />
      ) : data?.items.length === 0 ? (
        <p className="pad t3 sm">None: each of its jobs says its whole URL.</p>
      ) : (
        <table className="table-fixed">
          <caption className="sr-only">Endpoints of the client</caption>
          <thead>
            <tr>
              <th scope="col">Endpoint</th>
              <th scope="col" className="w-30">
                State
              </th>
              <th scope="col" className="w-28 text-right wide">
                Calls/s
              </th>
              <th scope="col" className="w-24 text-right wide">
                At once
              </th>
            </tr>
          </thead>
          <tbody>
            {data?.items.map((endpoint) => <Row key={endpoint.name} endpoint={endpoint} />) ?? (
              <SkeletonRows rows={2} columns={[200, 70, 40, 40]} tall />
            )}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function Row({ endpoint }: { endpoint: ClientEndpoint }) {
  const { name, url, enabled, disabledReason, publishRatePerSecond, concurrency } = endpoint;
  return (
    <tr className="tall">
      <td className="two">
        <div className="font-medium truncate">{name}</div>
        <div className="truncate">
          <CallUrl url={url} />
        </div>
      </td>
      <td className="two">
        <div>
          <LookBadge look={clientLook({ enabled }, 0)} />
        </div>
        <div className="truncate" title={disabledReason ?? undefined}>
          {disabledReason}
        </div>
      </td>
      <Limit most={publishRatePerSecond} />
      <Limit most={concurrency} />
    </tr>
  );
}

/** Undefined: as its client says. */
function Limit({ most }: { most: number | undefined }) {
  return (
    <td className="text-right wide">
      {most === undefined ? <span className="t3">as client</span> : formatCount(most)}
    </td>
  );
}
