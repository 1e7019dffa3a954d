import { useState } from 'react';
import { addClientKey, removeClientKey } from '#client/sdk.gen.ts';
import type { Client } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { Issued } from '../../parts/controls/issued.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';

interface KeysPanelProps {
  client: Client;
  refusal: string | undefined;
}

/** Keys that sign the calls to a client. Their secrets are never shown again. */
export function KeysPanel({ client, refusal }: KeysPanelProps) {
  const [asked, setAsked] = useState<'new' | { keyId: string }>();
  const close = () => setAsked(undefined);
  const columns: readonly Column<Client['keys'][number]>[] = [
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
      footer="Receivers know its calls by them. Keys that schedule its jobs are API keys, of its scope."
    >
      {client.keys.length === 0 ? (
        <p className="pad t3 sm">None: receivers cannot tell its calls from those of others.</p>
      ) : (
        <DataTable
          caption="Signing keys, newest first"
          className="[--row:30px] [&>tbody]:text-sm"
          columns={columns}
          rows={client.keys}
          keyOf={({ id }) => id}
        />
      )}
      {asked === 'new' && <NewKeyDialog client={client} onClose={close} />}
      {typeof asked === 'object' && (
        <VerbDialog
          title={`Remove the key ${shortId(asked.keyId)}?`}
          lead={client.keys.length === 1 ? 'It is the only one: calls are not signed any more.' : 'At once, for good.'}
          verb="Remove it"
          leave="Keep it"
          isGrave
          act={() => removeClientKey({ path: { id: client.id, keyId: asked.keyId }, throwOnError: true })}
          onClose={close}
        >
          Receivers that know only this key refuse its calls from now on.
        </VerbDialog>
      )}
    </Panel>
  );
}

function NewKeyDialog({ client: { id, name }, onClose }: { client: Client; onClose: () => void }) {
  return (
    <EditDialog
      title={`New signing key of ${name}`}
      lead="Calls are signed with the older keys too, for a day: until receivers know the new one."
      verb="Make the key"
      leave="Leave them"
      save={async () => (await addClientKey({ path: { id }, body: {}, throwOnError: true })).data}
      outcome={({ secret }) => <Issued what="secret" name={name} secret={secret ?? ''} />}
      onClose={onClose}
    >
      <p className="t2">Its secret is shown once. Give it to who receives the calls, then the older keys end.</p>
    </EditDialog>
  );
}
