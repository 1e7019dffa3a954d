import { useState } from 'react';
import { createApiKey } from '#client/sdk.gen.ts';
import type { ApiKey } from '#client/types.gen.ts';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { IssuedSecret } from '../../parts/controls/issued-secret.tsx';
import { KeyFields } from './key-fields.tsx';
import { emptyForm, copyForm, createKey, findKeyRefusal } from './key-words.ts';

interface NewKeyDialogProps {
  like?: ApiKey | undefined;
  onClose: () => void;
}

/** Form for a new key, whose secret is then shown once. */
export function NewKeyDialog({ like, onClose }: NewKeyDialogProps) {
  const [form, setForm] = useState(like ? copyForm(like) : emptyForm);
  return (
    <EditDialog
      title="New key"
      verb="Create key"
      refusal={findKeyRefusal(form)}
      save={async () => (await createApiKey({ body: createKey(form), throwOnError: true })).data}
      outcome={({ key, secret }) => <IssuedSecret what="key" name={key.name} secret={secret} />}
      onClose={onClose}
    >
      <KeyFields form={form} onChange={setForm} />
    </EditDialog>
  );
}
