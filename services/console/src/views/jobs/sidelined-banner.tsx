import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getSchedulerOptions } from '#client/@tanstack/react-query.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { HostBanner } from '../../parts/jobs/host-banner.tsx';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { countOf } from '../../parts/words/numbers.ts';

interface SidelinedBannerProps {
  client: string | undefined;
  /** True if sidelined jobs are listed, or the client has some. Otherwise no request is sent. */
  isEnabled: boolean;
  clients: Clients;
}

const askEveryMs = 10_000;
const maxHosts = 2;

/** Banner with the causes of sidelined jobs: of the chosen client, or of all clients. */
export function SidelinedBanner({ client, isEnabled, clients }: SidelinedBannerProps) {
  const refusal = useRefusal('operator');
  const [isWhole, setWhole] = useState(false);
  const { data } = useQuery({
    ...getSchedulerOptions(),
    // For this response, the API counts all due jobs. It is therefore requested only if necessary.
    enabled: isEnabled,
    refetchInterval: askEveryMs,
  });
  const id = clients.find(client)?.id;
  const hosts = (data?.hosts ?? []).filter((host) => client === undefined || host.clientId === id);
  const listed = isWhole ? hosts : hosts.slice(0, maxHosts);
  return (
    <>
      {listed.map((host) => (
        <HostBanner
          key={`${host.clientId} ${host.endpoint} ${host.host}`}
          host={host}
          client={clients.nameOf(host.clientId)}
          refusal={refusal}
        />
      ))}
      {listed.length < hosts.length && (
        <p className="sm t2">
          and{' '}
          <button type="button" className="link" onClick={() => setWhole(true)}>
            {countOf(hosts.length - listed.length, 'host')} more
          </button>
        </p>
      )}
    </>
  );
}
