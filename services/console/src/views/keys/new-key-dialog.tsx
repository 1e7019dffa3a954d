import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createApiKey } from '#client/sdk.gen.ts';
import type { ApiKey } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { RefusedWhole } from '../../parts/forms/refused-whole.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Issued } from '../../parts/controls/issued.tsx';
import { KeyFields } from './key-fields.tsx';
import { emptyForm, formLike, keyOfForm, whyNoKey } from './key-words.ts';

interface NewKeyDialogProps {
  /** One that has ended, whose place it takes. */
  like?: ApiKey | undefined;
  onClose: () => void;
}

/** Who gets a key, for what, and until when; then its secret, once. */
export function NewKeyDialog({ like, onClose }: NewKeyDialogProps) {
  const queries = useQueryClient();
  const [form, setForm] = useState(like ? formLike(like) : emptyForm);
  const make = useMutation({
    mutationFn: async () => (await createApiKey({ body: keyOfForm(form) })).data,
    onSuccess: () => queries.invalidateQueries(),
  });
  const problems = useRefusedFields(make.error);
  const issued = make.data;
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      actions={
        issued ? (
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="ink" disabled={make.isPending} refusal={whyNoKey(form)} onClick={() => make.mutate()}>
              Make the key
            </Button>
          </>
        )
      }
    >
      {issued ? (
        <Issued what="key" name={issued.key.name} secret={issued.secret} />
      ) : (
        <FormProblemsContext value={problems}>
          <KeyFields form={form} onChange={setForm} />
          <RefusedWhole error={make.error} />
        </FormProblemsContext>
      )}
    </Dialog>
  );
}
