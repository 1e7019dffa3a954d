import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { uploadSuppressions } from '#client/sdk.gen.ts';
import type { SuppressionUpload } from '#client/types.gen.ts';
import { sendWithProgress } from '../../parts/audience/upload-with-progress.ts';
import { detectedColumns, columnQuery, type ColumnChoice } from '../../parts/file-preview/column-choice.ts';
import { fileHeaders, previewKey } from '../../parts/file-preview/use-file-preview.ts';

export interface ListForm {
  actionType: string;
  mode: SuppressionUpload['mode'];
  note: string;
  /** Number typed by the user to confirm a replacement: how many users it removes from the list. */
  confirmed: string;
  file: File | null;
  columns: ColumnChoice;
}

export function useListUpload(actionType: string) {
  const queries = useQueryClient();
  const [form, setForm] = useState<ListForm>({
    actionType,
    mode: 'add',
    note: '',
    confirmed: '',
    file: null,
    columns: detectedColumns,
  });
  const [sentBytes, setSentBytes] = useState(0);
  const abort = useRef(new AbortController());
  const upload = useMutation({
    mutationFn: async ({ file, acceptRejected }: { file: File; acceptRejected: number | null }) => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      await queries.cancelQueries({ queryKey: [previewKey] });
      const { data } = await uploadSuppressions({
        query: { ...uploadQuery(form), ...(acceptRejected !== null && { acceptRejected }) },
        body: file,
        headers: fileHeaders(file),
        fetch: (input, init) => sendWithProgress(new Request(input, init), file, setSentBytes, signal),
        throwOnError: true,
      });
      return data;
    },
    onSettled: () => queries.invalidateQueries(),
  });
  return {
    form,
    upload,
    sentBytes,
    change: (part: Partial<ListForm>) => setForm({ ...form, ...part }),
    /** Chooses a file or other columns, and resets an earlier upload. */
    read: (file: File | null, columns: ColumnChoice) => {
      upload.reset();
      setForm({ ...form, file, columns });
    },
    /** @param acceptRejected number of rows that may be skipped; null if none may */
    send: (acceptRejected: number | null) => {
      if (form.file !== null) upload.mutate({ file: form.file, acceptRejected });
    },
    abort: () => abort.current.abort(),
  };
}

export type ListUpload = ReturnType<typeof useListUpload>;

function uploadQuery({ actionType, mode, note, confirmed, columns }: ListForm) {
  return {
    actionType,
    mode,
    ...(note.trim() !== '' && { note: note.trim() }),
    ...(mode === 'replace' && confirmed !== '' && { confirmRemoved: Number(confirmed) }),
    ...columnQuery(columns),
  };
}
