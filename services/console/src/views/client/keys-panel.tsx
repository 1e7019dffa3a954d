import { useState } from 'react';
import { addClientEndpointKey, removeClientEndpointKey } from '#client/sdk.gen.ts';
import type { Client } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { IssuedSecret } from '../../parts/controls/issued-secret.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';

interface KeysPanelProps {
  client: Client;
  refusal: string | undefined;
}

/**
 * Keys of the endpoint `default`. They sign the calls of all endpoints without own keys. Each secret is shown only
 * once.
 */
export function KeysPanel({ client, refusal }: KeysPanelProps) {
  const [openDialog, setOpenDialog] = useState<'new' | { keyId: string }>();
  const close = () => setOpenDialog(undefined);
  const { keys } = client.endpoint;
  const columns: readonly Column<Client['endpoint']['keys'][number]>[] = [
    { header: 'Key', look: 'mono', title: ({ id }) => id, cell: ({ id }) => `…${id.slice(-6)}` },
    { header: 'Created', look: 't2 whitespace-nowrap', cell: ({ createdAt }) => <Time instant={createdAt} /> },
    {
      header: 'Signs until',
      look: ({ expiresAt }) => (expiresAt === null ? 't2' : 'c-warn whitespace-nowrap'),
      cell: ({ expiresAt }) => (expiresAt === null ? 'it is removed' : <Time instant={expiresAt} />),
    },
    actionsColumn(({ id }) => (
      <Button
        small
        kind="bad"
        refusal={refusal}
        label={`Remove the key ${id.slice(-6)}`}
        onClick={() => setOpenDialog({ keyId: id })}
      >
        Remove…
      </Button>
    )),
  ];
  return (
    <Panel
      title="Signing keys"
      note="newest first"
      actions={
        <Button small icon="plus" refusal={refusal} onClick={() => setOpenDialog('new')}>
          Key
        </Button>
      }
      footer="Receivers verify calls with these keys, also calls of endpoints without own keys. Jobs are scheduled with API keys whose scope includes this client."
    >
      {keys.length === 0 ? (
        <p className="pad t3 sm">No keys: receivers cannot verify that calls come from this client.</p>
      ) : (
        <DataTable
          caption="Signing keys, newest first"
          className="[--row:30px] [&>tbody]:text-sm"
          columns={columns}
          rows={keys}
          keyOf={({ id }) => id}
        />
      )}
      {openDialog === 'new' && <NewKeyDialog client={client} onClose={close} />}
      {typeof openDialog === 'object' && (
        <ConfirmDialog
          title={`Remove the key ${shortId(openDialog.keyId)}?`}
          lead={
            keys.length === 1
              ? 'It is the only key: calls will no longer be signed.'
              : 'This removes the key at once, for good.'
          }
          verb="Remove it"
          leave="Keep it"
          isGrave
          act={() =>
            removeClientEndpointKey({ path: { ...pathOf(client), keyId: openDialog.keyId }, throwOnError: true })
          }
          onClose={close}
        >
          Receivers that know only this key refuse its calls from now on.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

const pathOf = ({ id }: Client) => ({ id, endpoint: defaultEndpoint });

function NewKeyDialog({ client, onClose }: { client: Client; onClose: () => void }) {
  const { name } = client;
  return (
    <EditDialog
      title={`New signing key of ${name}`}
      lead="For a day, calls are also signed with the older keys, so that receivers can switch to the new one."
      verb="Create key"
      leave="Cancel"
      save={async () => (await addClientEndpointKey({ path: pathOf(client), body: {}, throwOnError: true })).data}
      outcome={({ secret }) => <IssuedSecret what="secret" name={name} secret={secret ?? ''} />}
      onClose={onClose}
    >
      <p className="t2">
        The secret is shown once. Give it to the team that receives the calls before the older keys end.
      </p>
    </EditDialog>
  );
}
