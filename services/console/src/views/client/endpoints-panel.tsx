import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listClientEndpointsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Client, ClientEndpoint, ClientLoad } from '#client/types.gen.ts';
import { useNow } from '../../parts/browser/now.ts';
import { Button } from '../../parts/controls/button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { CallUrl } from '../../parts/jobs/call-url.tsx';
import { clientLook } from '../../parts/jobs/client-look.ts';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';
import type { SidelinedHost } from '../../parts/jobs/host-banner.tsx';
import { Menu, MenuItem } from '../../parts/overlays/menu.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import type { StateLook } from '../../parts/standing/state-looks.ts';
import { Time } from '../../parts/times/time.tsx';
import { createEndpointLines, type EndpointLine } from './endpoint-load.ts';
import { EndpointVerbDialog, type EndpointCommand, type EndpointVerb } from './endpoint-verb-dialog.tsx';
import { createLoadColumns } from './load-columns.tsx';

interface EndpointsPanelProps {
  client: Client;
  load: ClientLoad | undefined;
  hosts: readonly SidelinedHost[];
  refusal: string | undefined;
}

/** Endpoints of the client, each with its own limits. Jobs that name none go through `default`. */
export function EndpointsPanel({ client, load, hosts, refusal }: EndpointsPanelProps) {
  const [command, setCommand] = useState<EndpointCommand>();
  const endpoints = useQuery(listClientEndpointsOptions({ path: { id: client.id } }));
  const now = useNow();
  const lines =
    endpoints.data &&
    createEndpointLines(endpoints.data.items, load?.endpoints ?? []).map((line) => ({
      ...line,
      host: hosts.find((host) => host.endpoint === line.endpoint.name),
    }));
  const columns: readonly Column<HostedLine>[] = [
    ...standingColumns,
    ...createLoadColumns(load?.behindAfterMs ?? Infinity, now),
    ...(refusal === undefined ? [menuColumn((endpoint, verb) => setCommand({ verb, endpoint }))] : []),
  ];
  return (
    <Panel
      title="Endpoints"
      note="jobs without an endpoint use default; other endpoints inherit its settings and are sorted worst first"
      actions={
        <Button small icon="plus" refusal={refusal} onClick={() => setCommand({ verb: 'new' })}>
          Endpoint
        </Button>
      }
    >
      <ListView what="The endpoints" query={endpoints} items={endpoints.data?.items} empty={null}>
        <DataTable
          caption="Endpoints of the client"
          className="table-fixed"
          columns={columns}
          rows={lines}
          keyOf={({ endpoint }) => endpoint.name}
          isTall
          isChosen={isSidelined}
          loadingRows={2}
        />
      </ListView>
      {command && <EndpointVerbDialog client={client} command={command} onClose={() => setCommand(undefined)} />}
    </Panel>
  );
}

interface HostedLine extends EndpointLine {
  host: SidelinedHost | undefined;
}

function isSidelined({ load, host }: HostedLine): boolean {
  return host !== undefined || (load !== undefined && load.circuitOpenSince !== null);
}

const standingColumns: readonly Column<HostedLine>[] = [
  {
    header: 'Endpoint',
    look: 'two',
    cell: ({ endpoint: { name, url } }) => (
      <>
        <div className="font-medium truncate phone:whitespace-normal phone:wrap-anywhere">{name}</div>
        <div className="truncate phone:whitespace-normal phone:wrap-anywhere">
          {url === null ? 'URLs of its jobs' : <CallUrl url={url} />}
        </div>
      </>
    ),
  },
  {
    header: 'State',
    width: 'w-32 phone:w-30',
    look: 'two',
    cell: (line) => {
      const { endpoint, host } = line;
      return (
        <StateLines look={clientLook(endpoint, isSidelined(line) ? 1 : 0)} host={host} note={endpoint.disabledReason} />
      );
    },
  },
];

/** Column with a menu for each endpoint. */
function menuColumn(onChoose: (endpoint: ClientEndpoint, verb: EndpointVerb) => void): Column<HostedLine> {
  return {
    header: 'Actions',
    isHeaderHidden: true,
    align: 'right',
    width: 'w-14',
    cell: ({ endpoint }) => <EndpointMenu endpoint={endpoint} onChoose={(verb) => onChoose(endpoint, verb)} />,
  };
}

interface EndpointMenuProps {
  endpoint: ClientEndpoint;
  onChoose: (verb: EndpointVerb) => void;
}

function EndpointMenu({ endpoint: { name, enabled }, onChoose }: EndpointMenuProps) {
  return (
    <Menu
      target={(open) => (
        <button type="button" {...open} className="btn s icon" aria-label={`More about ${name}`}>
          <Icon name="more" size={14} />
        </button>
      )}
    >
      <MenuItem onClick={() => onChoose('change')}>Change…</MenuItem>
      {enabled ? (
        <MenuItem onClick={() => onChoose('pause')}>Pause…</MenuItem>
      ) : (
        <MenuItem onClick={() => onChoose('resume')}>Resume…</MenuItem>
      )}
      {name !== defaultEndpoint && <MenuItem onClick={() => onChoose('delete')}>Delete…</MenuItem>}
    </Menu>
  );
}

interface StateLinesProps {
  look: StateLook;
  host: SidelinedHost | undefined;
  note: string | null;
}

/**
 * State of an endpoint and its cause: the host's response and the time since when the state lasts, or a person's note.
 */
function StateLines({ look, host, note }: StateLinesProps) {
  return (
    <>
      <div>
        <LookBadge look={look} />
      </div>
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
