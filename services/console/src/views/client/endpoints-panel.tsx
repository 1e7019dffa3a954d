import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listClientEndpointsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Client, ClientEndpoint, ClientLoad } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { CallUrl } from '../../parts/jobs/call-url.tsx';
import { clientLook } from '../../parts/jobs/client-look.ts';
import { Menu, MenuItem } from '../../parts/overlays/menu.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { endpointLines, type EndpointLoad } from './endpoint-load.ts';
import { EndpointVerbDialog, type AskedOfEndpoint, type EndpointVerb } from './endpoint-verb-dialog.tsx';
import { LoadCells } from './load-cells.tsx';

interface EndpointsPanelProps {
  client: Client;
  /** Undefined while it is asked for. */
  load: ClientLoad | undefined;
  refusal: string | undefined;
}

/** Receivers that its jobs may name, each with limits of its own. */
export function EndpointsPanel({ client, load, refusal }: EndpointsPanelProps) {
  const [asked, setAsked] = useState<AskedOfEndpoint>();
  const { data, error, refetch } = useQuery(listClientEndpointsOptions({ path: { id: client.id } }));
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
              <th scope="col" className="w-26">
                State
              </th>
              <th scope="col" className="w-20 text-right wide">
                Backlog
              </th>
              <th scope="col" className="w-20 text-right">
                Lag
              </th>
              <th scope="col" className="w-24 text-right wide">
                Calls/s
              </th>
              <th scope="col" className="w-20 text-right wide">
                At once
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
                  <tr key="" className="tall">
                    <td className="t2">jobs that name none</td>
                    <td />
                    <LoadCells load={ofIt} />
                    {refusal === undefined && <td />}
                  </tr>
                ) : (
                  <Row
                    key={endpoint.name}
                    endpoint={endpoint}
                    load={ofIt}
                    mayChange={refusal === undefined}
                    onAsk={(verb) => setAsked({ verb, endpoint })}
                  />
                ),
              )}
            {data === undefined && <SkeletonRows rows={2} columns={[200, 70, 40, 40, 40, 40]} tall />}
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
  mayChange: boolean;
  onAsk: (verb: EndpointVerb) => void;
}

function Row({ endpoint, load, mayChange, onAsk }: RowProps) {
  const { name, url, enabled, disabledReason } = endpoint;
  const isAside = load !== undefined && load.asideSince !== null;
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
          <LookBadge look={clientLook({ enabled }, isAside ? 1 : 0)} />
        </div>
        <div className="truncate" title={disabledReason ?? undefined}>
          {disabledReason}
        </div>
      </td>
      <LoadCells load={load} />
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
