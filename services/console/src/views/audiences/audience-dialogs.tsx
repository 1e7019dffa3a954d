import { useState } from 'react';
import { deleteAudience, changeAudience } from '#client/sdk.gen.ts';
import type { Audience, SavedAudience, UploadedAudience } from '#client/types.gen.ts';
import { TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { countOf } from '../../parts/words/numbers.ts';

interface ChangeListDialogProps {
  audience: UploadedAudience;
  onClose: () => void;
}

/** Form for the name and the owner of a list. Its users never change. */
export function ChangeListDialog({ audience: { id, ...before }, onClose }: ChangeListDialogProps) {
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
      save={() => changeAudience({ path: { id }, body: change, throwOnError: true })}
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

interface DeleteDialogProps {
  audience: Audience;
  onClose: () => void;
  onGone: () => Promise<void>;
}

export function DeleteDialog({ audience, onClose, onGone }: DeleteDialogProps) {
  const { id, name } = audience;
  const isList = audience.kind === 'list';
  return (
    <VerbDialog
      title={`Delete “${name}”?`}
      lead={
        isList
          ? `For good, with ${countOf(audience.users, 'user')} and its rejected lines.`
          : 'For good, with all of its revisions.'
      }
      verb="Delete it"
      leave="Keep it"
      isGrave
      act={() => deleteAudience({ path: { id }, throwOnError: true })}
      onDone={onGone}
      onClose={onClose}
    >
      {isList ? usesOfList(audience) : usesOfSaved(audience)}
    </VerbDialog>
  );
}

function usesOfList({ usedBy, usedBySaved }: UploadedAudience): string {
  if (usedBySaved > 0) {
    const [are, those] = usedBySaved === 1 ? ['is', 'that is'] : ['are', 'those are'];
    return `${countOf(usedBySaved, 'saved audience')} ${are} made of it: it is not deleted before ${those} changed or deleted.`;
  }
  if (usedBy === 0) return 'No campaign names it. Reports of runs that had it stay as they are.';
  return `${countOf(usedBy, 'campaign')} ${usedBy === 1 ? 'names' : 'name'} it: one that is scheduled or runs keeps it, and it is not deleted; a draft cannot be started without it.`;
}

function usesOfSaved({ usedBy, latestUse }: SavedAudience): string {
  if (usedBy === 0) return 'No campaign took it.';
  return `${countOf(usedBy, 'campaign')} took it${latestUse === null ? '' : `, at last “${latestUse.name}”`}: they stay as they are, with copies of its sources, and say that it is gone.`;
}
