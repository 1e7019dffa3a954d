import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listClientEndpointsOptions } from '#client/@tanstack/react-query.gen.ts';
import { deleteClientEndpoint, disableClientEndpoint, enableClientEndpoint } from '#client/sdk.gen.ts';
import type { Client, ClientEndpoint } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { CallUrl } from '../../parts/jobs/call-url.tsx';
import { clientLook } from '../../parts/jobs/client-look.ts';
import { Menu, MenuItem } from '../../parts/overlays/menu.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { EndpointDialog } from './endpoint-dialog.tsx';

type Verb = 'change' | 'pause' | 'resume' | 'delete';
type Asked = { verb: 'new' } | { verb: Verb; endpoint: ClientEndpoint };

interface EndpointsPanelProps {
  client: Client;
  refusal: string | undefined;
}

/** Receivers that its jobs may name, each with limits of its own. */
export function EndpointsPanel({ client, refusal }: EndpointsPanelProps) {
  const [asked, setAsked] = useState<Asked>();
  const { data, error, refetch } = useQuery(listClientEndpointsOptions({ path: { id: client.id } }));
  return (
    <Panel
      title="Endpoints"
      note="a job may name one; each has limits of its own"
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
              <th scope="col" className="w-30">
                State
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
            {data?.items.map((endpoint) => (
              <Row
                key={endpoint.name}
                endpoint={endpoint}
                mayChange={refusal === undefined}
                onAsk={(verb) => setAsked({ verb, endpoint })}
              />
            )) ?? <SkeletonRows rows={2} columns={[200, 70, 40, 40]} tall />}
          </tbody>
        </table>
      )}
      {asked && <AskedDialog client={client} asked={asked} onClose={() => setAsked(undefined)} />}
    </Panel>
  );
}

interface RowProps {
  endpoint: ClientEndpoint;
  mayChange: boolean;
  onAsk: (verb: Verb) => void;
}

function Row({ endpoint, mayChange, onAsk }: RowProps) {
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

/** Undefined: as its client says. */
function Limit({ most }: { most: number | undefined }) {
  return (
    <td className="text-right wide">
      {most === undefined ? <span className="t3">as client</span> : formatCount(most)}
    </td>
  );
}

function AskedDialog({ client, asked, onClose }: { client: Client; asked: Asked; onClose: () => void }) {
  if (asked.verb === 'new') return <EndpointDialog client={client} endpoint={null} onClose={onClose} />;
  const { verb, endpoint } = asked;
  const path = { id: client.id, endpoint: endpoint.name };
  switch (verb) {
    case 'change':
      return <EndpointDialog client={client} endpoint={endpoint} onClose={onClose} />;
    case 'pause':
      return <PauseDialog client={client} endpoint={endpoint} onClose={onClose} />;
    case 'resume':
      return (
        <VerbDialog
          title={`Let ${endpoint.name} go on?`}
          lead="Jobs that name it are called again."
          verb="Let it go on"
          leave="Leave it paused"
          act={() => enableClientEndpoint({ path, throwOnError: true })}
          onClose={onClose}
        >
          What was due meanwhile is called as fast as its limits allow; what has expired is not.
        </VerbDialog>
      );
    case 'delete':
      return (
        <VerbDialog
          title={`Delete ${endpoint.name}?`}
          lead="For good, with its keys. No job and no schedule that has not ended may name it."
          verb="Delete it"
          leave="Keep it"
          isGrave
          act={() => deleteClientEndpoint({ path, throwOnError: true })}
          onClose={onClose}
        >
          What ended is shown with its name as before. Where something still names it, it can be paused instead.
        </VerbDialog>
      );
  }
}

interface PauseDialogProps {
  client: Client;
  endpoint: ClientEndpoint;
  onClose: () => void;
}

function PauseDialog({ client, endpoint: { name }, onClose }: PauseDialogProps) {
  const [reason, setReason] = useState('');
  const said = reason.trim();
  return (
    <VerbDialog
      title={`Pause ${name}?`}
      lead={`The other endpoints of ${client.name} go on.`}
      verb="Pause it"
      leave="Leave it"
      act={() =>
        disableClientEndpoint({
          path: { id: client.id, endpoint: name },
          body: said === '' ? {} : { reason: said },
          throwOnError: true,
        })
      }
      onClose={onClose}
    >
      <p className="mb-3">Nothing is called through it. Jobs that name it are accepted, with a warning, and wait.</p>
      <FormField pointer="/reason" label="Why" hint="Shown beside its state">
        {(control) => <TextInput {...control} value={reason} onText={setReason} maxLength={200} />}
      </FormField>
    </VerbDialog>
  );
}
