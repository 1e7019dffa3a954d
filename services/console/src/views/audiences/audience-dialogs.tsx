import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteAudience, renameAudience } from '#client/sdk.gen.ts';
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

/** What people know it by, and whom they ask. Its users never change. */
export function ChangeListDialog({ audience: { id, ...before }, onClose }: DialogProps) {
  const queries = useQueryClient();
  const [name, setName] = useState(before.name);
  const [owner, setOwner] = useState(before.owner ?? '');
  // Only what is changed is sent: somebody else may have changed the other meanwhile.
  const change = {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(owner.trim() !== (before.owner ?? '') && { owner: owner.trim() === '' ? null : owner.trim() }),
  };
  const save = useMutation({
    mutationFn: () => renameAudience({ path: { id }, body: change, throwOnError: true }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const problems = useRefusedFields(save.error);
  const isChanged = Object.keys(change).length > 0;
  return (
    <Dialog
      title={`Change “${before.name}”`}
      lead="Campaigns name it by its id, and go on as they are."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="ink" disabled={save.isPending} onClick={() => (isChanged ? save.mutate() : onClose())}>
            Save
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
        <FormField pointer="/name" label="Name" required>
          {(control) => <TextInput {...control} value={name} onText={setName} maxLength={200} data-autofocus />}
        </FormField>
        <FormField pointer="/owner" label="Owner" hint="The team or the person to ask about it">
          {(control) => <TextInput {...control} value={owner} onText={setOwner} maxLength={200} />}
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
