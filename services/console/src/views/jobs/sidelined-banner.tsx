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
  isAsked: boolean;
  clients: Clients;
}

const askEveryMs = 10_000;
const mostShown = 2;

/** Causes of the sidelined jobs, if the list is of a client or of sidelined jobs. */
export function SidelinedBanner({ client, isAsked, clients }: SidelinedBannerProps) {
  const refusal = useRefusal('operator');
  const [isWhole, setWhole] = useState(false);
  const { data } = useQuery({
    ...getSchedulerOptions(),
    // The API counts all due jobs for this answer.
    enabled: isAsked,
    refetchInterval: askEveryMs,
  });
  const id = clients.find(client)?.id;
  const hosts = (data?.hosts ?? []).filter((host) => client === undefined || host.clientId === id);
  const shown = isWhole ? hosts : hosts.slice(0, mostShown);
  return (
    <>
      {shown.map((host) => (
        <HostBanner
          key={`${host.clientId} ${host.endpoint} ${host.host}`}
          host={host}
          client={clients.nameOf(host.clientId)}
          refusal={refusal}
        />
      ))}
      {shown.length < hosts.length && (
        <p className="sm t2">
          and{' '}
          <button type="button" className="link" onClick={() => setWhole(true)}>
            {countOf(hosts.length - shown.length, 'host')} more
          </button>
        </p>
      )}
    </>
  );
}
