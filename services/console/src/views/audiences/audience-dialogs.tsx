import { useState } from 'react';
import { deleteAudience, renameAudience } from '#client/sdk.gen.ts';
import type { Audience } from '#client/types.gen.ts';
import { TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { countOf } from '../../parts/words/numbers.ts';

interface DialogProps {
  audience: Audience;
  onClose: () => void;
}

/** Form for the name and the owner of a list. Its users never change. */
export function ChangeListDialog({ audience: { id, ...before }, onClose }: DialogProps) {
  const [name, setName] = useState(before.name);
  const [owner, setOwner] = useState(before.owner ?? '');
  // Only changed fields are sent: another person may have changed the other field meanwhile.
  const change = {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(owner.trim() !== (before.owner ?? '') && { owner: owner.trim() === '' ? null : owner.trim() }),
  };
  return (
    <EditDialog
      title={`Change “${before.name}”`}
      lead="Campaigns name it by its id, and go on as they are."
      verb="Save"
      isUnchanged={Object.keys(change).length === 0}
      save={() => renameAudience({ path: { id }, body: change, throwOnError: true })}
      onClose={onClose}
    >
      <FormField pointer="/name" label="Name" required>
        {(control) => <TextInput {...control} value={name} onText={setName} maxLength={200} data-autofocus />}
      </FormField>
      <FormField pointer="/owner" label="Owner" hint="The team or the person to ask about it">
        {(control) => <TextInput {...control} value={owner} onText={setOwner} maxLength={200} />}
      </FormField>
    </EditDialog>
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
