import { rejectedRowsOf } from '../../parts/audience/rejected-rows.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Segments, TextInput } from '../../parts/controls/controls.tsx';
import { asFound, columnQuery } from '../../parts/file-preview/column-choice.ts';
import { ColumnFields } from '../../parts/file-preview/column-fields.tsx';
import { FilePreview, rejectedIn } from '../../parts/file-preview/file-preview.tsx';
import { useFilePreview, type FilePreviewQuery } from '../../parts/file-preview/use-file-preview.ts';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Refused } from '../../parts/standing/refused.tsx';
import { countOf, formatShare } from '../../parts/words/numbers.ts';
import { TypeChoice } from './type-choice.tsx';
import type { ListForm, ListUpload } from './use-list-upload.ts';

const modes = [
  { value: 'add', label: 'Add them' },
  { value: 'replace', label: 'Replace the list' },
] as const;

export function UploadFields({ listUpload }: { listUpload: ListUpload }) {
  const { form, upload, change } = listUpload;
  const { file, columns, mode, confirmed } = form;
  const isSent = upload.isPending || upload.isSuccess;
  const preview = useFilePreview(file, { countries: 'none', ...columnQuery(columns) }, isSent);
  const problems = useRefusedFields(upload.error);
  const needsNumber = mode === 'replace' && problems.at('/confirmRemoved').length > 0;
  return (
    <FormProblemsContext value={problems}>
      <FileFields listUpload={listUpload} preview={preview} />
      <TypeChoice value={form.actionType} onChoose={(actionType) => change({ actionType })} />
      <ModeChoice mode={mode} onChoose={(chosen) => change({ mode: chosen })} />
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
              onText={(text) => change({ confirmed: text.replaceAll(/\D/g, '') })}
              inputMode="numeric"
            />
          )}
        </FormField>
      )}
      <FormField pointer="/note" label="Why" hint="Shown where a run has left a user out">
        {(control) => <TextInput {...control} value={form.note} onText={(note) => change({ note })} maxLength={200} />}
      </FormField>
      <UploadStanding listUpload={listUpload} preview={preview} needsNumber={needsNumber} />
    </FormProblemsContext>
  );
}

interface UploadPartProps {
  listUpload: ListUpload;
  preview: FilePreviewQuery;
}

function FileFields({ listUpload: { form, upload, read }, preview }: UploadPartProps) {
  const { file, columns } = form;
  return (
    <>
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
          onChoose={(chosen) => read(file, chosen)}
          disabled={upload.isPending}
        />
      )}
      <FilePreview preview={preview} />
    </>
  );
}

function ModeChoice({ mode, onChoose }: { mode: ListForm['mode']; onChoose: (mode: ListForm['mode']) => void }) {
  return (
    <div className="grid gap-1">
      <span>
        <Segments label="What becomes of the list" value={mode} choices={modes} onChoose={onChoose} />
      </span>
      <p className="hint">
        {mode === 'add'
          ? 'People are added when the whole file was read.'
          : 'The list is another at once, when all of the file is there: who is not in it is called again.'}
      </p>
    </div>
  );
}

/** Progress of the upload. If the API refuses it: the reason, and the rows that can be skipped. */
function UploadStanding({ listUpload, preview, needsNumber }: UploadPartProps & { needsNumber: boolean }) {
  const { form, upload, sentBytes, send } = listUpload;
  const { file, mode } = form;
  const rejected = rejectedRowsOf(upload.error) ?? rejectedIn(preview);
  return (
    <>
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
    </>
  );
}
