import { useState } from 'react';
import { suppressUsers } from '#client/sdk.gen.ts';
import { TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { describeLastCall, formatActionType, parseUserIds } from './list-words.ts';
import { TypeChoice } from './type-choice.tsx';

const maxUsers = 1000;

/** Form that adds a few users to a list; a file can add more. @param actionType action type of the shown list */
export function AddDialog({ actionType, onClose }: { actionType: string; onClose: () => void }) {
  const [list, setList] = useState(actionType);
  const [typed, setTyped] = useState('');
  const [note, setNote] = useState('');
  const users = parseUserIds(typed);
  const isTooMany = users.length > maxUsers;
  return (
    <EditDialog
      title="Add users"
      lead="Workers claim no further calls to these users, also in running campaigns."
      verb={`Add ${users.length === 0 ? 'users' : countOf(users.length, 'user')}`}
      isIncomplete={users.length === 0 || isTooMany}
      save={async () => {
        const body = { actionType: list, users, ...(note.trim() !== '' && { note: note.trim() }) };
        return (await suppressUsers({ body, throwOnError: true })).data;
      }}
      outcome={(result) => (
        <p role="status">
          <b>{countOf(result.added, 'user')} added.</b>{' '}
          <span className="t2">
            {users.length > result.added &&
              `${countOf(users.length - result.added, 'other was', 'others were')} already on the list. `}
            {countOf(result.people, 'user')} {result.people === 1 ? 'is' : 'are'} not called by{' '}
            {formatActionType(result.actionType)} now. {describeLastCall(result.lastCallWithinMs)}
          </span>
        </p>
      )}
      onClose={onClose}
    >
      <TypeChoice value={list} onChoose={setList} />
      <FormField
        pointer="/users"
        label="User ids"
        required
        hint={
          isTooMany
            ? `${countOf(users.length, 'id')}: at most 1,000 at once, upload a file instead`
            : 'One per line, or separated by commas'
        }
      >
        {(control) => <TextArea {...control} mono rows={5} value={typed} onText={setTyped} data-autofocus />}
      </FormField>
      <FormField pointer="/note" label="Reason" hint="Shown in runs that suppress the user">
        {(control) => <TextInput {...control} value={note} onText={setNote} maxLength={200} />}
      </FormField>
    </EditDialog>
  );
}
