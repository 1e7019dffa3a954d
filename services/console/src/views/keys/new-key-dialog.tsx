import { useState } from 'react';
import { createApiKey } from '#client/sdk.gen.ts';
import type { ApiKey } from '#client/types.gen.ts';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { Issued } from '../../parts/controls/issued.tsx';
import { KeyFields } from './key-fields.tsx';
import { emptyForm, formLike, keyOfForm, whyNoKey } from './key-words.ts';

interface NewKeyDialogProps {
  like?: ApiKey | undefined;
  onClose: () => void;
}

/** Form for a new key, whose secret is then shown once. */
export function NewKeyDialog({ like, onClose }: NewKeyDialogProps) {
  const [form, setForm] = useState(like ? formLike(like) : emptyForm);
  return (
    <EditDialog
      title="New key"
      verb="Make the key"
      refusal={whyNoKey(form)}
      save={async () => (await createApiKey({ body: keyOfForm(form), throwOnError: true })).data}
      outcome={({ key, secret }) => <Issued what="key" name={key.name} secret={secret} />}
      onClose={onClose}
    >
      <KeyFields form={form} onChange={setForm} />
    </EditDialog>
  );
}
