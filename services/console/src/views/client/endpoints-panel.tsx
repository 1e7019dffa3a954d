import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listClientEndpointsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Client, ClientEndpoint, ClientLoad } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { CallUrl } from '../../parts/jobs/call-url.tsx';
import { clientLook } from '../../parts/jobs/client-look.ts';
import type { SidelinedHost } from '../../parts/jobs/host-banner.tsx';
import { Menu, MenuItem } from '../../parts/overlays/menu.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import type { StateLook } from '../../parts/standing/state-looks.ts';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { endpointLines, type EndpointLoad } from './endpoint-load.ts';
import { EndpointVerbDialog, type AskedOfEndpoint, type EndpointVerb } from './endpoint-verb-dialog.tsx';
import { LoadCells } from './load-cells.tsx';

interface EndpointsPanelProps {
  client: Client;
  /** Undefined while it is asked for. */
  load: ClientLoad | undefined;
  /** Of the client, that are left alone. */
  hosts: readonly SidelinedHost[];
  refusal: string | undefined;
}

/** Receivers that its jobs may name, each with limits of its own. */
export function EndpointsPanel({ client, load, hosts, refusal }: EndpointsPanelProps) {
  const [asked, setAsked] = useState<AskedOfEndpoint>();
  const { data, error, refetch } = useQuery(listClientEndpointsOptions({ path: { id: client.id } }));
  const behindAfterMs = load?.behindAfterMs ?? Infinity;
  return (
    <Panel
      title="Endpoints"
      note="a job may name one; each has limits of its own; worst first"
      actions={
        <Button small icon="plus" refusal={refusal} onClick={() => setAsked({ verb: 'new' })}>
          Endpoint
        </Button>
      }
    >
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
              <th scope="col" className="w-32 phone:w-30">
                State
              </th>
              <th scope="col" className="w-20 text-right wide">
                Backlog
              </th>
              <th scope="col" className="w-22 text-right phone:w-25">
                Lag
              </th>
              <th scope="col" className="w-24 text-right wide">
                Calls/s
              </th>
              <th scope="col" className="w-20 text-right wide">
                At once
              </th>
              <th
                scope="col"
                className="w-22 text-right wide"
                title="95 of 100 calls of the last ten minutes took at most so long"
              >
                p95
              </th>
              {refusal === undefined && (
                <th scope="col" className="w-14">
                  <span className="sr-only">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {data &&
              endpointLines(data.items, load?.endpoints ?? []).map(({ endpoint, load: ofIt }) =>
                endpoint === null ? (
                  <tr key="" className={hostOf(hosts, null) ? 'tall sel' : 'tall'}>
                    <td className="t2">jobs that name none</td>
                    <td className="two">
                      <StateLines
                        look={hostOf(hosts, null) && clientLook({ enabled: true }, 1)}
                        host={hostOf(hosts, null)}
                      />
                    </td>
                    <LoadCells load={ofIt} behindAfterMs={behindAfterMs} />
                    {refusal === undefined && <td />}
                  </tr>
                ) : (
                  <Row
                    key={endpoint.name}
                    endpoint={endpoint}
                    load={ofIt}
                    host={hostOf(hosts, endpoint.name)}
                    behindAfterMs={behindAfterMs}
                    mayChange={refusal === undefined}
                    onAsk={(verb) => setAsked({ verb, endpoint })}
                  />
                ),
              )}
            {data === undefined && <SkeletonRows rows={2} columns={[200, 70, 40, 40, 40, 40, 40]} tall />}
          </tbody>
        </table>
      )}
      {asked && <EndpointVerbDialog client={client} asked={asked} onClose={() => setAsked(undefined)} />}
    </Panel>
  );
}

interface RowProps {
  endpoint: ClientEndpoint;
  load: EndpointLoad | undefined;
  host: SidelinedHost | undefined;
  behindAfterMs: number;
  mayChange: boolean;
  onAsk: (verb: EndpointVerb) => void;
}

function Row({ endpoint, load, host, behindAfterMs, mayChange, onAsk }: RowProps) {
  const { name, url, enabled, disabledReason } = endpoint;
  const isAside = load !== undefined && load.asideSince !== null;
  return (
    <tr className={isAside ? 'tall sel' : 'tall'}>
      <td className="two">
        <div className="font-medium truncate phone:whitespace-normal phone:wrap-anywhere">{name}</div>
        <div className="truncate phone:whitespace-normal phone:wrap-anywhere">
          <CallUrl url={url} />
        </div>
      </td>
      <td className="two">
        <StateLines look={clientLook({ enabled }, isAside ? 1 : 0)} host={host} note={disabledReason} />
      </td>
      <LoadCells load={load} behindAfterMs={behindAfterMs} />
      {mayChange && (
        <td className="text-right">
          <Menu
            target={(open) => (
              <button type="button" {...open} className="btn s icon" aria-label={`More about ${name}`}>
                <Icon name="more" size={14} />
              </button>
            )}
          >
            <MenuItem onClick={() => onAsk('change')}>Change…</MenuItem>
            {enabled ? (
              <MenuItem onClick={() => onAsk('pause')}>Pause…</MenuItem>
            ) : (
              <MenuItem onClick={() => onAsk('resume')}>Let it go on…</MenuItem>
            )}
            <MenuItem onClick={() => onAsk('delete')}>Delete…</MenuItem>
          </Menu>
        </td>
      )}
    </tr>
  );
}

function hostOf(hosts: readonly SidelinedHost[], endpoint: string | null): SidelinedHost | undefined {
  return hosts.find((host) => host.endpoint === endpoint);
}

interface StateLinesProps {
  look: StateLook | undefined;
  host: SidelinedHost | undefined;
  /** Why it is paused. */
  note?: string | null;
}

/** How it stands, and why: what its host answered and since when, or what somebody said. */
function StateLines({ look, host, note = null }: StateLinesProps) {
  return (
    <>
      <div>{look && <LookBadge look={look} />}</div>
      {note === null && host ? (
        <div className="truncate phone:whitespace-normal" title={host.cause}>
          since <Time instant={host.openedAt} withSeconds />, {host.cause}
        </div>
      ) : (
        <div className="truncate phone:whitespace-normal" title={note ?? undefined}>
          {note}
        </div>
      )}
    </>
  );
}
