import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { suppressUsers } from '#client/sdk.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { lastCallWords, listWords, usersIn } from './list-words.ts';
import { TypeChoice } from './type-choice.tsx';
import { RefusedWhole } from '../../parts/forms/refused-whole.tsx';

const mostAtOnce = 1000;

/** A few people onto a list; more come by a file. @param actionType of the list that is looked at */
export function AddDialog({ actionType, onClose }: { actionType: string; onClose: () => void }) {
  const queries = useQueryClient();
  const [list, setList] = useState(actionType);
  const [typed, setTyped] = useState('');
  const [note, setNote] = useState('');
  const users = usersIn(typed);
  const add = useMutation({
    mutationFn: async () => {
      const body = { actionType: list, users, ...(note.trim() !== '' && { note: note.trim() }) };
      return (await suppressUsers({ body, throwOnError: true })).data;
    },
    onSuccess: () => queries.invalidateQueries(),
  });
  const problems = useRefusedFields(add.error);
  const isTooMany = users.length > mostAtOnce;
  return (
    <Dialog
      title="Add people"
      lead="Whatever a worker claims from now on calls none of them, in runs that go on too."
      onClose={onClose}
      actions={
        add.data ? (
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="ink" disabled={add.isPending || users.length === 0 || isTooMany} onClick={() => add.mutate()}>
              Add {users.length === 0 ? 'them' : countOf(users.length, 'person', 'people')}
            </Button>
          </>
        )
      }
    >
      {add.data ? (
        <p role="status">
          <b>{countOf(add.data.added, 'person', 'people')} added.</b>{' '}
          <span className="t2">
            {users.length > add.data.added && `${countOf(users.length - add.data.added, 'other')} stood there before. `}
            {countOf(add.data.people, 'person', 'people')} {add.data.people === 1 ? 'is' : 'are'} not called by{' '}
            {listWords(add.data.actionType)} now. {lastCallWords(add.data.lastCallWithinMs)}
          </span>
        </p>
      ) : (
        <FormProblemsContext value={problems}>
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
          <RefusedWhole error={add.error} />
        </FormProblemsContext>
      )}
    </Dialog>
  );
}
