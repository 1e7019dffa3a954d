import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteAudience } from '#client/sdk.gen.ts';
import type { Audience } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { RefusedWhole } from '../../parts/forms/refused-whole.tsx';

interface DialogProps {
  audience: Audience;
  onClose: () => void;
}

interface RenameDialogProps {
  /** As it is called now. */
  name: string;
  lead: string;
  rename: (name: string) => Promise<unknown>;
  onClose: () => void;
}

export function RenameDialog({ name: before, lead, rename, onClose }: RenameDialogProps) {
  const queries = useQueryClient();
  const [name, setName] = useState(before);
  const save = useMutation({
    mutationFn: () => rename(name.trim()),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const problems = useRefusedFields(save.error);
  return (
    <Dialog
      title={`Rename “${before}”`}
      lead={lead}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="ink" disabled={save.isPending} onClick={() => (name === before ? onClose() : save.mutate())}>
            Rename
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
        <FormField pointer="/name" label="Name" required>
          {(control) => <TextInput {...control} value={name} onText={setName} maxLength={200} data-autofocus />}
        </FormField>
      </FormProblemsContext>
      <RefusedWhole error={save.error} />
    </Dialog>
  );
}

export function DeleteDialog({ audience, onClose, onGone }: DialogProps & { onGone: () => Promise<void> }) {
  const { id, name, users, usedBy, usedBySaved } = audience;
  return (
    <VerbDialog
      title={`Delete “${name}”?`}
      lead={`For good, with ${countOf(users, 'user')} and its rejected lines.`}
      verb="Delete it"
      leave="Keep it"
      isGrave
      act={() => deleteAudience({ path: { id }, throwOnError: true })}
      onDone={onGone}
      onClose={onClose}
    >
      {usedBySaved > 0
        ? `${countOf(usedBySaved, 'saved audience')} ${usedBySaved === 1 ? 'is' : 'are'} made of it: it is not deleted before ${usedBySaved === 1 ? 'that is' : 'those are'} changed or deleted.`
        : usedBy === 0
          ? 'No campaign names it. Reports of runs that had it stay as they are.'
          : `${countOf(usedBy, 'campaign')} ${usedBy === 1 ? 'names' : 'name'} it: one that is scheduled or runs keeps it, and it is not deleted; a draft cannot be started without it.`}
    </VerbDialog>
  );
}
