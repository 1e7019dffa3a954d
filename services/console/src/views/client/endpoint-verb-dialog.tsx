import { useState } from 'react';
import { deleteClientEndpoint, disableClientEndpoint, enableClientEndpoint } from '#client/sdk.gen.ts';
import type { Client, ClientEndpoint } from '#client/types.gen.ts';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';

export type EndpointVerb = 'change' | 'pause' | 'resume' | 'delete';
export type EndpointCommand = { verb: 'new' } | { verb: EndpointVerb; endpoint: ClientEndpoint };

interface EndpointVerbDialogProps {
  client: Client;
  command: EndpointCommand;
  onClose: () => void;
}

/** Dialogs of an endpoint. For the endpoint `default`, they stop and start the whole client. */
export function EndpointVerbDialog({ client, command, onClose }: EndpointVerbDialogProps) {
  if (command.verb === 'new') return <EndpointDialog client={client} endpoint={null} onClose={onClose} />;
  const { verb, endpoint } = command;
  const isDefault = endpoint.name === defaultEndpoint;
  const path = { id: client.id, endpoint: endpoint.name };
  switch (verb) {
    case 'change':
      return <EndpointDialog client={client} endpoint={endpoint} onClose={onClose} />;
    case 'pause':
      return <PauseDialog client={client} endpoint={endpoint} onClose={onClose} />;
    case 'resume':
      return (
        <ConfirmDialog
          title={`Resume ${isDefault ? client.name : endpoint.name}?`}
          lead={isDefault ? 'Its jobs are accepted and called again.' : 'Jobs of this endpoint are called again.'}
          verb="Resume"
          leave="Keep it paused"
          act={() => enableClientEndpoint({ path, throwOnError: true })}
          onClose={onClose}
        >
          Jobs that became due meanwhile are called as fast as the limits allow. Expired jobs are not called.
        </ConfirmDialog>
      );
    case 'delete':
      return (
        <ConfirmDialog
          title={`Delete ${endpoint.name}?`}
          lead="This deletes the endpoint and its keys for good. No active job or schedule may use it."
          verb="Delete it"
          leave="Keep it"
          isGrave
          act={() => deleteClientEndpoint({ path, throwOnError: true })}
          onClose={onClose}
        >
          Ended jobs still show its name. If a job or schedule still uses the endpoint, pause it instead.
        </ConfirmDialog>
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
  const trimmedReason = reason.trim();
  const words = createPauseTexts(client.name, name);
  return (
    <ConfirmDialog
      title={words.title}
      lead={words.lead}
      verb={words.verb}
      leave={words.leave}
      isGrave={name === defaultEndpoint}
      act={() =>
        disableClientEndpoint({
          path: { id: client.id, endpoint: name },
          body: trimmedReason === '' ? {} : { reason: trimmedReason },
          throwOnError: true,
        })
      }
      onClose={onClose}
    >
      <p className="mb-3">{words.meanwhile}</p>
      <FormField pointer="/reason" label="Reason" hint="Shown next to the state">
        {(control) => <TextInput {...control} value={reason} onText={setReason} maxLength={200} />}
      </FormField>
    </ConfirmDialog>
  );
}

function createPauseTexts(client: string, endpoint: string) {
  if (endpoint !== defaultEndpoint)
    return {
      title: `Pause ${endpoint}?`,
      lead: `The other endpoints of ${client} are not affected.`,
      meanwhile: 'No calls are made through it. Its jobs are accepted with a warning, and wait.',
      verb: 'Pause it',
      leave: 'Cancel',
    };
  return {
    title: `Pause ${client}?`,
    lead: 'No jobs are accepted or called, through any endpoint. Stored jobs wait.',
    meanwhile:
      'Meanwhile, new jobs of its service are refused. Calls in flight end normally. Other clients are not affected.',
    verb: 'Pause client',
    leave: 'Cancel',
  };
}
