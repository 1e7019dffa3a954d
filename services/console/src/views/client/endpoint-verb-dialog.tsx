import { useState } from 'react';
import { deleteClientEndpoint, disableClientEndpoint, enableClientEndpoint } from '#client/sdk.gen.ts';
import type { Client, ClientEndpoint } from '#client/types.gen.ts';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';

export type EndpointVerb = 'change' | 'pause' | 'resume' | 'delete';
export type AskedOfEndpoint = { verb: 'new' } | { verb: EndpointVerb; endpoint: ClientEndpoint };

interface EndpointVerbDialogProps {
  client: Client;
  asked: AskedOfEndpoint;
  onClose: () => void;
}

export function EndpointVerbDialog({ client, asked, onClose }: EndpointVerbDialogProps) {
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
