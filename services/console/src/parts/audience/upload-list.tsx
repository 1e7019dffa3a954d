import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ComponentProps } from 'react';
import type { UploadedAudience } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../controls/button.tsx';
import { TextInput } from '../controls/controls.tsx';
import { detectedColumns, columnQuery, type ColumnChoice } from '../file-preview/column-choice.ts';
import { ColumnFields } from '../file-preview/column-fields.tsx';
import { FilePreview, rejectedRowsIn } from '../file-preview/file-preview.tsx';
import { fileKey, previewKey, useFilePreview } from '../file-preview/use-file-preview.ts';
import { countOf, formatShare } from '../words/numbers.ts';
import { rejectedRowsOf } from './rejected-rows.ts';
import { uploadWithProgress } from './upload-with-progress.ts';

interface UploadListProps {
  countries: readonly string[];
  onUploaded: (list: UploadedAudience) => void;
}

/** Form that uploads a list: the chosen file, its name, and the progress of the upload. */
export function UploadList(props: UploadListProps) {
  const [file, setFile] = useState<File | null>(null);
  return (
    <>
      <ChooseFile small onFile={setFile} />
      {file !== null && <UploadForm key={fileKey(file)} {...props} file={file} onEnd={() => setFile(null)} />}
    </>
  );
}

interface ChooseFileProps extends ComponentProps<typeof Button> {
  onFile: (file: File) => void;
}

export function ChooseFile({ onFile, children = 'Upload a list', ...button }: ChooseFileProps) {
  const { choose, input } = useFileChoice(onFile);
  return (
    <>
      <Button icon="up" {...button} onClick={choose}>
        {children}
      </Button>
      {input}
    </>
  );
}

/** Returns `choose`, which opens the browser's file dialog. `input` has to stay rendered until the user has chosen. */
export function useFileChoice(onFile: (file: File) => void) {
  const field = useRef<HTMLInputElement>(null);
  return {
    choose: () => field.current?.click(),
    input: (
      <input
        ref={field}
        type="file"
        accept=".csv,.txt,.gz,text/csv"
        className="sr-only"
        tabIndex={-1}
        aria-label="File with a list of users"
        onChange={({ target }) => {
          const file = target.files?.item(0);
          if (file) onFile(file);
          // Without this, the browser reports no change when the user chooses the same file again.
          target.value = '';
        }}
      />
    ),
  };
}

/** @param props `onEnd`: called once the file was uploaded, or the user cancels */
export function UploadForm(props: UploadListProps & { file: File; onEnd: () => void }) {
  const { file, countries, onUploaded, onEnd } = props;
  const queries = useQueryClient();
  const [name, setName] = useState(file.name);
  const [owner, setOwner] = useState('');
  const [columns, setColumns] = useState<ColumnChoice>({
    ...detectedColumns,
    country: countries.length === 1 ? (countries[0] ?? null) : null,
  });
  const [sentBytes, setSent] = useState(0);
  const abort = useRef(new AbortController());
  const upload = useMutation({
    /** @param acceptRejected rejected rows that the upload may skip */
    mutationFn: async (acceptRejected: number | null) => {
      abort.current = new AbortController();
      await queries.cancelQueries({ queryKey: [previewKey] });
      return uploadWithProgress({
        file,
        columns,
        acceptRejected,
        name: name.trim(),
        owner: owner.trim() === '' ? undefined : owner.trim(),
        onSent: setSent,
        signal: abort.current.signal,
      });
    },
    onSuccess: async (list) => {
      await queries.invalidateQueries();
      onEnd();
      onUploaded(list);
    },
  });
  const preview = useFilePreview(file, columnQuery(columns), upload.isPending);
  const rejected = rejectedRowsOf(upload.error) ?? rejectedRowsIn(preview);
  return (
    <div className="ask grid-cols-1 basis-full" role="group" aria-label={`Upload ${file.name}`}>
      <div className="grid grid-cols-[1fr_1fr] gap-3.5 items-start phone:grid-cols-1">
        <TextInput aria-label="Name of the list" value={name} onText={setName} disabled={upload.isPending} />
        <TextInput
          aria-label="Owner of the list"
          placeholder="Owner. Default: you"
          value={owner}
          onText={setOwner}
          maxLength={200}
          disabled={upload.isPending}
        />
        <ColumnFields
          preview={preview}
          choice={columns}
          countries={countries}
          disabled={upload.isPending}
          onChoose={(chosen) => {
            upload.reset();
            setColumns(chosen);
          }}
        />
      </div>
      <FilePreview preview={preview} />
      {upload.isPending && <Progress sentBytes={sentBytes} bytes={file.size} />}
      {upload.isError && (
        <p className="hint c-bad" role="alert">
          {refusalText(upload.error)}
        </p>
      )}
      <div className="row flex-wrap">
        <Button small kind="ink" disabled={upload.isPending || name.trim() === ''} onClick={() => upload.mutate(null)}>
          {upload.isError ? 'Try again' : `Upload ${sizeText(file.size)}`}
        </Button>
        {rejected !== null && !upload.isPending && (
          <Button small disabled={name.trim() === ''} onClick={() => upload.mutate(rejected)}>
            Skip {countOf(rejected, 'row')} and upload
          </Button>
        )}
        <Button
          small
          kind="ghost"
          onClick={() => {
            abort.current.abort();
            onEnd();
          }}
        >
          Cancel
        </Button>
      </div>
    </div>
  );
}

function Progress({ sentBytes, bytes }: { sentBytes: number; bytes: number }) {
  const isSent = sentBytes >= bytes;
  const share = bytes === 0 ? 1 : Math.min(1, sentBytes / bytes);
  return (
    <div className="grid gap-1">
      <div
        className="prog"
        role="progressbar"
        aria-label="Upload"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <i style={{ width: `${share * 100}%` }} />
      </div>
      <span className="t2 sm">
        {isSent ? 'Sent; the API is sorting its rows' : `${formatShare(sentBytes, bytes)} of ${sizeText(bytes)}`}
      </span>
    </div>
  );
}

function refusalText(error: unknown): string {
  const { detail, errors } = problemOf(error);
  return [detail, ...errors.map((each) => each.detail)].join('; ');
}

/** Formats a size in kB or MB, such as `4.2 MB`. A list never has gigabytes. */
function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
