import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { addClientKey, createClient } from '#client/sdk.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { Issued } from '../../parts/controls/issued.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';

/** A name is enough: it gets its first key with it, whose secret is shown once. */
export function NewClientDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const make = useMutation({
    mutationFn: async () => {
      const client = (await createClient({ body: { name: name.trim() }, throwOnError: true })).data;
      return (await addClientKey({ path: { id: client.id }, body: {}, throwOnError: true })).data;
    },
    onSuccess: () => queries.invalidateQueries(),
  });
  const problems = useRefusedFields(make.error);
  const made = make.data;
  const done = () => {
    onClose();
    if (made) void navigate({ to: '/clients/$client', params: { client: made.client.name } });
  };
  return (
    <Dialog
      title="New client"
      lead="A service that schedules callbacks. Limits, where it may call and its keys can be changed later."
      onClose={made ? done : onClose}
      actions={
        made ? (
          <Button kind="ink" onClick={done}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="ink" disabled={make.isPending || name.trim() === ''} onClick={() => make.mutate()}>
              Make the client
            </Button>
          </>
        )
      }
    >
      {made ? (
        <Issued what="secret" name={made.client.name} secret={made.secret ?? ''} />
      ) : (
        <FormProblemsContext value={problems}>
          <FormField pointer="/name" label="Name" hint="Small letters, digits, - and ., such as orders" required>
            {(control) => <TextInput {...control} value={name} onText={setName} data-autofocus />}
          </FormField>
          {make.error !== null && problemOf(make.error).errors.length === 0 && (
            <p className="c-bad sm" role="alert">
              {problemOf(make.error).detail}
            </p>
          )}
        </FormProblemsContext>
      )}
    </Dialog>
  );
}
