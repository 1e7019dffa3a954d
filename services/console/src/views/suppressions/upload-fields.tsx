import { rejectedRowsOf } from '../../parts/audience/rejected-rows.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Segments, TextInput } from '../../parts/controls/controls.tsx';
import { detectedColumns, columnQuery } from '../../parts/file-preview/column-choice.ts';
import { ColumnFields } from '../../parts/file-preview/column-fields.tsx';
import { FilePreview, rejectedRowsIn } from '../../parts/file-preview/file-preview.tsx';
import { useFilePreview, type FilePreviewQuery } from '../../parts/file-preview/use-file-preview.ts';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../parts/forms/use-form-errors.ts';
import { Refused } from '../../parts/standing/refused.tsx';
import { countOf, formatShare } from '../../parts/words/numbers.ts';
import { TypeChoice } from './type-choice.tsx';
import type { ListForm, ListUpload } from './use-list-upload.ts';

const modes = [
  { value: 'add', label: 'Add users' },
  { value: 'replace', label: 'Replace the list' },
] as const;

export function UploadFields({ listUpload }: { listUpload: ListUpload }) {
  const { form, upload, change } = listUpload;
  const { file, columns, mode, confirmed } = form;
  const isSent = upload.isPending || upload.isSuccess;
  const preview = useFilePreview(file, { countries: 'none', ...columnQuery(columns) }, isSent);
  const problems = useFormErrors(upload.error);
  const needsNumber = mode === 'replace' && problems.at('/confirmRemoved').length > 0;
  return (
    <FormProblemsContext value={problems}>
      <FileFields listUpload={listUpload} preview={preview} />
      <TypeChoice value={form.actionType} onChoose={(actionType) => change({ actionType })} />
      <ModeChoice mode={mode} onChoose={(chosen) => change({ mode: chosen })} />
      {(needsNumber || confirmed !== '') && (
        <FormField
          pointer="/confirmRemoved"
          label="Users to remove"
          hint="Enter the number of users to remove, then replace the list again"
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
      <FormField pointer="/note" label="Reason" hint="Shown in runs that suppress a user">
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
            onChange={({ target }) => read(target.files?.item(0) ?? null, detectedColumns)}
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
        <Segments label="Effect on the list" value={mode} choices={modes} onChoose={onChoose} />
      </span>
      <p className="hint">
        {mode === 'add'
          ? 'Users are added when the whole file has been read.'
          : 'The file replaces the list when it has been read completely. Users who are not in it can be called again.'}
      </p>
    </div>
  );
}

/** Progress of the upload. If the API refuses the file, shows the reason, and the rows that can be skipped. */
function UploadStanding({ listUpload, preview, needsNumber }: UploadPartProps & { needsNumber: boolean }) {
  const { form, upload, sentBytes, send } = listUpload;
  const { file, mode } = form;
  const rejected = rejectedRowsOf(upload.error) ?? rejectedRowsIn(preview);
  return (
    <>
      {upload.isPending && file !== null && (
        <p className="t2 sm" role="status">
          {sentBytes >= file.size ? 'Sent; its rows are being processed' : `${formatShare(sentBytes, file.size)} sent`}
        </p>
      )}
      {rejected !== null && !upload.isPending && (
        <span>
          <Button small onClick={() => send(rejected)}>
            Skip {countOf(rejected, 'row')} and {mode === 'replace' ? 'replace the list' : 'upload'}
          </Button>
        </span>
      )}
      {upload.isError && (
        <Refused
          error={upload.error}
          changed={needsNumber ? undefined : 'Check the list below before you try again.'}
        />
      )}
    </>
  );
}
