import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { addClientEndpointKey, createClient } from '#client/sdk.gen.ts';
import { TextInput } from '../../parts/controls/controls.tsx';
import { IssuedSecret } from '../../parts/controls/issued-secret.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';

/** Form for a new client, which needs only a name. The API creates its first key, whose secret is shown once. */
export function NewClientDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  return (
    <EditDialog
      title="New client"
      lead="A service that schedules callbacks. You can change its limits, allowed addresses and keys later."
      verb="Create client"
      isIncomplete={name.trim() === ''}
      save={async () => {
        const client = (await createClient({ body: { name: name.trim() }, throwOnError: true })).data;
        const path = { id: client.id, endpoint: defaultEndpoint };
        const { secret } = (await addClientEndpointKey({ path, body: {}, throwOnError: true })).data;
        return { client, secret };
      }}
      outcome={({ client, secret }) => <IssuedSecret what="secret" name={client.name} secret={secret ?? ''} />}
      onSaved={({ client }) => void navigate({ to: '/clients/$client', params: { client: client.name } })}
      onClose={onClose}
    >
      <FormField pointer="/name" label="Name" hint="Lowercase letters, digits, - and ., such as orders" required>
        {(control) => <TextInput {...control} value={name} onText={setName} data-autofocus />}
      </FormField>
    </EditDialog>
  );
}
