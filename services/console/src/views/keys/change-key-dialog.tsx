import { useState } from 'react';
import { changeApiKey } from '#client/sdk.gen.ts';
import type { ApiKey } from '#client/types.gen.ts';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { KeyFields } from './key-fields.tsx';
import { createKeyForm, createPatch, findChangeRefusal } from './key-words.ts';

interface ChangeKeyDialogProps {
  /** The key when the dialog was opened: the API refuses to overwrite a later change. */
  apiKey: ApiKey;
  onClose: () => void;
}

export function ChangeKeyDialog({ apiKey, onClose }: ChangeKeyDialogProps) {
  const [form, setForm] = useState(() => createKeyForm(apiKey));
  return (
    <EditDialog
      title={`Change ${apiKey.name}`}
      lead="The secret stays the same. New permissions apply within a second."
      verb="Change it"
      leave="Cancel"
      refusal={findChangeRefusal(apiKey, form)}
      save={() =>
        changeApiKey({
          path: { id: apiKey.id },
          body: createPatch(apiKey, form),
          headers: { 'if-match': `"${apiKey.revision}"` },
          throwOnError: true,
        })
      }
      onClose={onClose}
    >
      <KeyFields form={form} onChange={setForm} />
    </EditDialog>
  );
}
