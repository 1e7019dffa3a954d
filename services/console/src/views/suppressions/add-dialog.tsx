import { useState } from 'react';
import { suppressUsers } from '#client/sdk.gen.ts';
import { TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { lastCallWords, listWords, usersIn } from './list-words.ts';
import { TypeChoice } from './type-choice.tsx';

const mostAtOnce = 1000;

/** Form that adds a few users to a list; a file can add more. @param actionType action type of the shown list */
export function AddDialog({ actionType, onClose }: { actionType: string; onClose: () => void }) {
  const [list, setList] = useState(actionType);
  const [typed, setTyped] = useState('');
  const [note, setNote] = useState('');
  const users = usersIn(typed);
  const isTooMany = users.length > mostAtOnce;
  return (
    <EditDialog
      title="Add people"
      lead="Whatever a worker claims from now on calls none of them, in runs that go on too."
      verb={`Add ${users.length === 0 ? 'them' : countOf(users.length, 'person', 'people')}`}
      isIncomplete={users.length === 0 || isTooMany}
      save={async () => {
        const body = { actionType: list, users, ...(note.trim() !== '' && { note: note.trim() }) };
        return (await suppressUsers({ body, throwOnError: true })).data;
      }}
      outcome={(made) => (
        <p role="status">
          <b>{countOf(made.added, 'person', 'people')} added.</b>{' '}
          <span className="t2">
            {users.length > made.added && `${countOf(users.length - made.added, 'other')} stood there before. `}
            {countOf(made.people, 'person', 'people')} {made.people === 1 ? 'is' : 'are'} not called by{' '}
            {listWords(made.actionType)} now. {lastCallWords(made.lastCallWithinMs)}
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
            : 'One a line, or separated by commas'
        }
      >
        {(control) => <TextArea {...control} mono rows={5} value={typed} onText={setTyped} data-autofocus />}
      </FormField>
      <FormField pointer="/note" label="Why" hint="Shown where a run has left the user out">
        {(control) => <TextInput {...control} value={note} onText={setNote} maxLength={200} />}
      </FormField>
    </EditDialog>
  );
}
