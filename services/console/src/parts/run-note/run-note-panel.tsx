import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { getRunNoteOptions, getRunNoteQueryKey } from '#client/@tanstack/react-query.gen.ts';
import { writeRunNote } from '#client/sdk.gen.ts';
import type { RunNote } from '#client/types.gen.ts';
import { Button } from '../controls/button.tsx';
import { TextArea } from '../controls/controls.tsx';
import { ListView } from '../data-table/list-view.tsx';
import { FormField, FormProblemsContext } from '../forms/form-field.tsx';
import { useFormErrors } from '../forms/use-form-errors.ts';
import { FormError } from '../forms/form-error.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { Panel } from '../panels/panel.tsx';
import { Time } from '../times/time.tsx';

interface RunNotePanelProps {
  runId: string;
  /** Reason why the user may not edit the note; undefined if the user may. */
  refusal: string | undefined;
}

/** The note on a run, which managers may edit at any time. */
export function RunNotePanel({ runId, refusal }: RunNotePanelProps) {
  const query = useQuery(getRunNoteOptions({ path: { id: runId } }));
  const note = query.data;
  const [isOpen, setOpen] = useState(false);
  const edit = note && (
    <Button small refusal={refusal} onClick={() => setOpen(true)}>
      {note.text === null ? 'Write a note' : 'Edit note'}
    </Button>
  );
  return (
    <Panel title="Note" actions={edit} padded>
      <ListView what="The note" query={query} items={note && [note]} empty={null}>
        {note && <NoteText note={note} />}
      </ListView>
      {isOpen && note && <NoteDialog runId={runId} note={note} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function NoteText({ note: { text, writtenBy, writtenAt } }: { note: RunNote }) {
  if (text === null) return <p className="t3">No note. Explain unusual figures here for later readers.</p>;
  return (
    <>
      <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>
      <p className="t3 sm mt-1.5">
        {writtenBy?.name}
        {writtenAt !== null && (
          <>
            , <Time instant={writtenAt} withDay />
          </>
        )}
      </p>
    </>
  );
}

interface NoteDialogProps {
  runId: string;
  note: RunNote;
  onClose: () => void;
}

function NoteDialog({ runId, note, onClose }: NoteDialogProps) {
  const queries = useQueryClient();
  // The note when the dialog was opened. If another person changes the note meanwhile, the API refuses to overwrite
  // that change.
  const [{ revision, text: before }] = useState(note);
  const [text, setText] = useState(before ?? '');
  const save = useMutation({
    mutationFn: (written: string | null) =>
      writeRunNote({
        path: { id: runId },
        headers: { 'if-match': `"${revision}"` },
        body: { text: written },
        throwOnError: true,
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: getRunNoteQueryKey({ path: { id: runId } }) });
      onClose();
    },
  });
  const problems = useFormErrors(save.error);
  return (
    <Dialog
      title="Note on the run"
      lead="All users who can see the run can read it. Changes are kept in the audit log."
      onClose={onClose}
      actions={
        <>
          {before !== null && (
            <Button disabled={save.isPending} onClick={() => save.mutate(null)}>
              Remove note
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="ink" disabled={save.isPending || text.trim() === ''} onClick={() => save.mutate(text)}>
            Save
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
        <FormField pointer="/text" label="Note">
          {(control) => <TextArea {...control} value={text} onText={setText} data-autofocus />}
        </FormField>
        <FormError error={save.error} />
      </FormProblemsContext>
    </Dialog>
  );
}
