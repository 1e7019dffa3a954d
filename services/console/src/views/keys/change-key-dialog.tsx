import { useState } from 'react';
import { changeApiKey } from '#client/sdk.gen.ts';
import type { ApiKey } from '#client/types.gen.ts';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { KeyFields } from './key-fields.tsx';
import { formOf, patchOfForm, whyNoChange } from './key-words.ts';

interface ChangeKeyDialogProps {
  /** The key when the dialog was opened: the API refuses to overwrite a later change. */
  apiKey: ApiKey;
  onClose: () => void;
}

export function ChangeKeyDialog({ apiKey, onClose }: ChangeKeyDialogProps) {
  const [form, setForm] = useState(() => formOf(apiKey));
  return (
    <EditDialog
      title={`Change ${apiKey.name}`}
      lead="Its secret stays. What it may is another within a second."
      verb="Change it"
      leave="Leave it"
      refusal={whyNoChange(apiKey, form)}
      save={() =>
        changeApiKey({
          path: { id: apiKey.id },
          body: patchOfForm(apiKey, form),
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
