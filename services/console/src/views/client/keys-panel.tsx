import { useState } from 'react';
import { addClientEndpointKey, removeClientEndpointKey } from '#client/sdk.gen.ts';
import type { Client } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { Issued } from '../../parts/controls/issued.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';

interface KeysPanelProps {
  client: Client;
  refusal: string | undefined;
}

/** Keys of the endpoint `default`, which sign all calls of endpoints without their own. Secrets are shown once. */
export function KeysPanel({ client, refusal }: KeysPanelProps) {
  const [asked, setAsked] = useState<'new' | { keyId: string }>();
  const close = () => setAsked(undefined);
  const { keys } = client.endpoint;
  const columns: readonly Column<Client['endpoint']['keys'][number]>[] = [
    { header: 'Key', look: 'mono', title: ({ id }) => id, cell: ({ id }) => `…${id.slice(-6)}` },
    { header: 'Made', look: 't2 whitespace-nowrap', cell: ({ createdAt }) => <Time instant={createdAt} /> },
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
        onClick={() => setAsked({ keyId: id })}
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
        <Button small icon="plus" refusal={refusal} onClick={() => setAsked('new')}>
          Key
        </Button>
      }
      footer="Receivers know its calls by them, of endpoints without keys too. Keys that schedule its jobs are API keys, of its scope."
    >
      {keys.length === 0 ? (
        <p className="pad t3 sm">None: receivers cannot tell its calls from those of others.</p>
      ) : (
        <DataTable
          caption="Signing keys, newest first"
          className="[--row:30px] [&>tbody]:text-sm"
          columns={columns}
          rows={keys}
          keyOf={({ id }) => id}
        />
      )}
      {asked === 'new' && <NewKeyDialog client={client} onClose={close} />}
      {typeof asked === 'object' && (
        <VerbDialog
          title={`Remove the key ${shortId(asked.keyId)}?`}
          lead={keys.length === 1 ? 'It is the only one: calls are not signed any more.' : 'At once, for good.'}
          verb="Remove it"
          leave="Keep it"
          isGrave
          act={() => removeClientEndpointKey({ path: { ...pathOf(client), keyId: asked.keyId }, throwOnError: true })}
          onClose={close}
        >
          Receivers that know only this key refuse its calls from now on.
        </VerbDialog>
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
      lead="Calls are signed with the older keys too, for a day: until receivers know the new one."
      verb="Make the key"
      leave="Leave them"
      save={async () => (await addClientEndpointKey({ path: pathOf(client), body: {}, throwOnError: true })).data}
      outcome={({ secret }) => <Issued what="secret" name={name} secret={secret ?? ''} />}
      onClose={onClose}
    >
      <p className="t2">Its secret is shown once. Give it to who receives the calls, then the older keys end.</p>
    </EditDialog>
  );
}
