import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeApiKey } from '#client/sdk.gen.ts';
import type { ApiKey } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { RefusedWhole } from '../../parts/forms/refused-whole.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { KeyFields } from './key-fields.tsx';
import { formOf, patchOfForm, whyNoChange } from './key-words.ts';

interface ChangeKeyDialogProps {
  /** As it was when the dialog was opened: who has changed it since is not overwritten. */
  apiKey: ApiKey;
  onClose: () => void;
}

/** Another owner, role, scope, bound or end for a key that goes on as it is. */
export function ChangeKeyDialog({ apiKey, onClose }: ChangeKeyDialogProps) {
  const queries = useQueryClient();
  const [form, setForm] = useState(() => formOf(apiKey));
  const patch = patchOfForm(apiKey, form);
  const change = useMutation({
    mutationFn: async () => {
      const headers = { 'if-match': `"${apiKey.revision}"` };
      await changeApiKey({ path: { id: apiKey.id }, body: patch, headers, throwOnError: true });
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Change ${apiKey.name}`}
      lead="Its secret stays. What it may is another within a second."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Leave it</Button>
          <Button
            kind="ink"
            disabled={change.isPending}
            refusal={whyNoChange(apiKey, form)}
            onClick={() => change.mutate()}
          >
            Change it
          </Button>
        </>
      }
    >
      <FormProblemsContext value={useRefusedFields(change.error)}>
        <KeyFields form={form} onChange={setForm} />
        <RefusedWhole error={change.error} />
      </FormProblemsContext>
    </Dialog>
  );
}
