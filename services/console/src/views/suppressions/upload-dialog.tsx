import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { uploadSuppressions } from '#client/sdk.gen.ts';
import type { SuppressionUpload } from '#client/types.gen.ts';
import { rejectedRowsOf } from '../../parts/audience/rejected-rows.ts';
import { sent } from '../../parts/audience/upload-with-progress.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Segments, TextInput } from '../../parts/controls/controls.tsx';
import { asFound, columnQuery, type ColumnChoice } from '../../parts/file-preview/column-choice.ts';
import { ColumnFields } from '../../parts/file-preview/column-fields.tsx';
import { FilePreview, rejectedIn } from '../../parts/file-preview/file-preview.tsx';
import { fileHeaders, previewKey, useFilePreview } from '../../parts/file-preview/use-file-preview.ts';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Refused } from '../../parts/standing/refused.tsx';
import { countOf, formatShare } from '../../parts/words/numbers.ts';
import { lastCallWords, uploadWords } from './list-words.ts';
import { TypeChoice } from './type-choice.tsx';

type Mode = SuppressionUpload['mode'];

const modes = [
  { value: 'add', label: 'Add them' },
  { value: 'replace', label: 'Replace the list' },
] as const;

/** Many people at once, as a file comes; what came of it stands there when it is read. */
export function UploadDialog({ actionType, onClose }: { actionType: string; onClose: () => void }) {
  const queries = useQueryClient();
  const [list, setList] = useState(actionType);
  const [mode, setMode] = useState<Mode>('add');
  const [note, setNote] = useState('');
  const [confirmed, setConfirmed] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [columns, setColumns] = useState(asFound);
  const [sentBytes, setSent] = useState(0);
  const abort = useRef(new AbortController());
  const upload = useMutation({
    mutationFn: async ({ chosen, acceptRejected }: { chosen: File; acceptRejected: number | null }) => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      await queries.cancelQueries({ queryKey: [previewKey] });
      return (
        await uploadSuppressions({
          query: {
            ...{ actionType: list, mode },
            ...(note.trim() !== '' && { note: note.trim() }),
            ...(mode === 'replace' && confirmed !== '' && { confirmRemoved: Number(confirmed) }),
            ...(acceptRejected !== null && { acceptRejected }),
            ...columnQuery(columns),
          },
          body: chosen,
          headers: fileHeaders(chosen),
          fetch: (input, init) => sent(new Request(input, init), chosen, setSent, signal),
          throwOnError: true,
        })
      ).data;
    },
    onSettled: () => queries.invalidateQueries(),
  });
  const problems = useRefusedFields(upload.error);
  const needsNumber = mode === 'replace' && problems.at('/confirmRemoved').length > 0;
  const isSent = upload.isPending || upload.isSuccess;
  const preview = useFilePreview(file, { countries: 'none', ...columnQuery(columns) }, isSent);
  const rejected = rejectedRowsOf(upload.error) ?? rejectedIn(preview);
  const read = (chosen: File | null, as: ColumnChoice) => {
    upload.reset();
    setFile(chosen);
    setColumns(as);
  };
  const send = (acceptRejected: number | null) => {
    if (file !== null) upload.mutate({ chosen: file, acceptRejected });
  };
  const end = () => {
    abort.current.abort();
    onClose();
  };
  const done = upload.data;
  return (
    <Dialog
      title="Upload a suppression list"
      lead="CSV, plain or .gz: with a column userId, or an id a line. Rows may repeat."
      onClose={end}
      actions={
        done ? (
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={end}>Cancel</Button>
            <Button kind="ink" icon="up" disabled={upload.isPending || file === null} onClick={() => send(null)}>
              {mode === 'replace' ? 'Replace the list' : 'Upload'}
            </Button>
          </>
        )
      }
    >
      {done ? (
        <p role="status">
          <b>{done.state === 'done' ? 'Read.' : 'It failed.'}</b>{' '}
          <span className="t2">
            {uploadWords(done)}.{done.rejected > 0 && ` ${countOf(done.rejected, 'bad row')}, see below.`}
            {done.people > 0 && ` ${lastCallWords(done.lastCallWithinMs)}`}
            {done.reading?.warnings.map(({ detail }) => ` Warning: ${detail}.`).join('')}
          </span>
        </p>
      ) : (
        <FormProblemsContext value={problems}>
          <FormField pointer="/file" label="File" required>
            {(control) => (
              <input
                {...control}
                type="file"
                accept=".csv,.txt,.gz,text/csv"
                className="inp w-full py-1 h-auto"
                disabled={upload.isPending}
                onChange={({ target }) => read(target.files?.item(0) ?? null, asFound)}
              />
            )}
          </FormField>
          {file !== null && (
            <ColumnFields
              preview={preview}
              choice={columns}
              onChoose={(as) => read(file, as)}
              disabled={upload.isPending}
            />
          )}
          <FilePreview preview={preview} />
          <TypeChoice value={list} onChoose={setList} />
          <div className="grid gap-1">
            <span>
              <Segments label="What becomes of the list" value={mode} choices={modes} onChoose={setMode} />
            </span>
            <p className="hint">
              {mode === 'add'
                ? 'People are added when the whole file was read.'
                : 'The list is another at once, when all of the file is there: who is not in it is called again.'}
            </p>
          </div>
          {(needsNumber || confirmed !== '') && (
            <FormField
              pointer="/confirmRemoved"
              label="People to remove"
              hint="Type the number of people who leave the list, and replace the list again"
            >
              {(control) => (
                <TextInput
                  {...control}
                  value={confirmed}
                  onText={(text) => setConfirmed(text.replaceAll(/\D/g, ''))}
                  inputMode="numeric"
                />
              )}
            </FormField>
          )}
          <FormField pointer="/note" label="Why" hint="Shown where a run has left a user out">
            {(control) => <TextInput {...control} value={note} onText={setNote} maxLength={200} />}
          </FormField>
          {upload.isPending && file !== null && (
            <p className="t2 sm" role="status">
              {sentBytes >= file.size ? 'Sent; its rows are being read' : `${formatShare(sentBytes, file.size)} sent`}
            </p>
          )}
          {rejected !== null && !upload.isPending && (
            <span>
              <Button small onClick={() => send(rejected)}>
                Leave out {countOf(rejected, 'row')} and {mode === 'replace' ? 'replace the list' : 'upload'}
              </Button>
            </span>
          )}
          {upload.isError && (
            <Refused
              error={upload.error}
              changed={needsNumber ? undefined : 'Ask again, and see below what is on the list.'}
            />
          )}
        </FormProblemsContext>
      )}
    </Dialog>
  );
}
