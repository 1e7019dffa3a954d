import { useState } from 'react';
import { deleteAudience, changeAudience } from '#client/sdk.gen.ts';
import type { Audience, SavedAudience, UploadedAudience } from '#client/types.gen.ts';
import { Check, TextInput } from '../../../parts/controls/controls.tsx';
import { EditDialog } from '../../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../../parts/forms/form-field.tsx';
import { ConfirmDialog } from '../../../parts/overlays/confirm-dialog.tsx';
import { countOf } from '../../../parts/words/numbers.ts';

interface ChangeListDialogProps {
  audience: UploadedAudience;
  onClose: () => void;
}

/** Form for the name, the owner and the retention of a list. Its users never change. */
export function ChangeListDialog({ audience: { id, ...before }, onClose }: ChangeListDialogProps) {
  const [name, setName] = useState(before.name);
  const [owner, setOwner] = useState(before.owner ?? '');
  const [isKept, setKept] = useState(before.kept);
  // Only changed fields are sent: another person may have changed the other fields meanwhile.
  const change = {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(owner.trim() !== (before.owner ?? '') && { owner: owner.trim() === '' ? null : owner.trim() }),
    ...(isKept !== before.kept && { kept: isKept }),
  };
  return (
    <EditDialog
      title={`Change “${before.name}”`}
      lead="Campaigns refer to it by its id, so they are not affected."
      verb="Save"
      isUnchanged={Object.keys(change).length === 0}
      save={() => changeAudience({ path: { id }, body: change, throwOnError: true })}
      onClose={onClose}
    >
      <FormField pointer="/name" label="Name" required>
        {(control) => <TextInput {...control} value={name} onText={setName} maxLength={200} data-autofocus />}
      </FormField>
      <FormField pointer="/owner" label="Owner" hint="The team or person to contact">
        {(control) => <TextInput {...control} value={owner} onText={setOwner} maxLength={200} />}
      </FormField>
      <Check checked={isKept} onCheck={setKept}>
        Keep it, whatever its age: for lists that people use by hand, such as testers
      </Check>
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
    <ConfirmDialog
      title={`Delete “${name}”?`}
      lead={
        isList
          ? `This deletes ${countOf(audience.users, 'user')} and the rejected lines for good.`
          : 'This deletes all of its revisions for good.'
      }
      verb="Delete it"
      leave="Keep it"
      isGrave
      act={() => deleteAudience({ path: { id }, throwOnError: true })}
      onDone={onGone}
      onClose={onClose}
    >
      {isList ? describeListUses(audience) : describeSavedUses(audience)}
    </ConfirmDialog>
  );
}

function describeListUses({ usedBy, usedBySaved }: UploadedAudience): string {
  if (usedBySaved > 0) {
    const [use, them] = usedBySaved === 1 ? ['uses', 'that audience'] : ['use', 'those audiences'];
    return `${countOf(usedBySaved, 'saved audience')} ${use} it: change or delete ${them} first.`;
  }
  if (usedBy === 0) return 'No campaign uses it. Reports of earlier runs do not change.';
  return `${countOf(usedBy, 'campaign')} ${usedBy === 1 ? 'uses' : 'use'} it. It cannot be deleted while a scheduled or running campaign uses it. A draft cannot start without it.`;
}

function describeSavedUses({ usedBy, latestUse }: SavedAudience): string {
  if (usedBy === 0) return 'No campaign uses it.';
  return `${countOf(usedBy, 'campaign')} ${usedBy === 1 ? 'uses' : 'use'} it${latestUse === null ? '' : `, most recently “${latestUse.name}”`}. Campaigns keep copies of its sources, and show that it was deleted.`;
}
