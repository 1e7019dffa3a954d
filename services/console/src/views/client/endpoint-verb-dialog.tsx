import { useState } from 'react';
import { deleteClientEndpoint, disableClientEndpoint, enableClientEndpoint } from '#client/sdk.gen.ts';
import type { Client, ClientEndpoint } from '#client/types.gen.ts';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';

export type EndpointVerb = 'change' | 'pause' | 'resume' | 'delete';
export type AskedOfEndpoint = { verb: 'new' } | { verb: EndpointVerb; endpoint: ClientEndpoint };

interface EndpointVerbDialogProps {
  client: Client;
  asked: AskedOfEndpoint;
  onClose: () => void;
}

/** Dialogs of an endpoint. Its endpoint `default` stops and starts the whole client. */
export function EndpointVerbDialog({ client, asked, onClose }: EndpointVerbDialogProps) {
  if (asked.verb === 'new') return <EndpointDialog client={client} endpoint={null} onClose={onClose} />;
  const { verb, endpoint } = asked;
  const isDefault = endpoint.name === defaultEndpoint;
  const path = { id: client.id, endpoint: endpoint.name };
  switch (verb) {
    case 'change':
      return <EndpointDialog client={client} endpoint={endpoint} onClose={onClose} />;
    case 'pause':
      return <PauseDialog client={client} endpoint={endpoint} onClose={onClose} />;
    case 'resume':
      return (
        <VerbDialog
          title={`Let ${isDefault ? client.name : endpoint.name} go on?`}
          lead={isDefault ? 'Jobs are accepted for it again, and called.' : 'Jobs that name it are called again.'}
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
  const words = pauseWords(client.name, name);
  return (
    <VerbDialog
      title={words.title}
      lead={words.lead}
      verb={words.verb}
      leave={words.leave}
      isGrave={name === defaultEndpoint}
      act={() =>
        disableClientEndpoint({
          path: { id: client.id, endpoint: name },
          body: said === '' ? {} : { reason: said },
          throwOnError: true,
        })
      }
      onClose={onClose}
    >
      <p className="mb-3">{words.meanwhile}</p>
      <FormField pointer="/reason" label="Why" hint="Shown beside its state">
        {(control) => <TextInput {...control} value={reason} onText={setReason} maxLength={200} />}
      </FormField>
    </VerbDialog>
  );
}

function pauseWords(client: string, endpoint: string) {
  if (endpoint !== defaultEndpoint)
    return {
      title: `Pause ${endpoint}?`,
      lead: `The other endpoints of ${client} go on.`,
      meanwhile: 'Nothing is called through it. Jobs that name it are accepted, with a warning, and wait.',
      verb: 'Pause it',
      leave: 'Leave it',
    };
  return {
    title: `Pause ${client}?`,
    lead: 'Nothing is accepted for it and nothing is called, through no endpoint; what is stored waits.',
    meanwhile:
      'Its service is refused jobs meanwhile. Calls that are under way end as ever, and all other clients go on.',
    verb: 'Pause client',
    leave: 'Let it go on',
  };
}
