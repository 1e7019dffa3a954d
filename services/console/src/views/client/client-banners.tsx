import type { Client, ClientLoad } from '#client/types.gen.ts';
import { replaceOperations } from '../../api/replace-operations.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { HostBanner, type SidelinedHost } from '../../parts/jobs/host-banner.tsx';

interface ClientBannersProps {
  client: Client;
  hosts: readonly SidelinedHost[];
  load: ClientLoad | undefined;
  refusal: string | undefined;
}

/** Banners with the reasons why jobs of a client are not called, or are called more slowly than its limits allow. */
export function ClientBanners({ client, hosts, load, refusal }: ClientBannersProps) {
  const { enabled, disabledReason, warnings } = client.endpoint;
  return (
    <>
      {!enabled && <PausedBanner name={client.name} disabledReason={disabledReason} />}
      {warnings.map(({ code, detail }) => (
        <div key={code} className="banner" role="status">
          <Icon name="warn" />
          <div className="min-w-0 wrap-anywhere">{replaceOperations(detail)}</div>
        </div>
      ))}
      {hosts.map((host) => (
        <HostBanner
          key={`${host.endpoint} ${host.host}`}
          host={host}
          client={client.name}
          refusal={refusal}
          maxCallsPerSecond={load?.endpoints.find(({ endpoint }) => endpoint === host.endpoint)?.maxCallsPerSecond}
        />
      ))}
    </>
  );
}

function PausedBanner({ name, disabledReason }: { name: string; disabledReason: string | null }) {
  return (
    <div className="banner" role="status">
      <Icon name="paused" />
      <div>
        <b>
          {name} is paused{disabledReason === null ? '.' : `: ${disabledReason}.`}
        </b>{' '}
        <span className="t2">No jobs are accepted or called. Stored jobs wait.</span>
      </div>
    </div>
  );
}
