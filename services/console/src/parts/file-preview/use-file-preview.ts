import { useQuery } from '@tanstack/react-query';
import { previewUserFile } from '#client/sdk.gen.ts';
import type { PreviewUserFileData } from '#client/types.gen.ts';

export const previewKey = 'previewUserFile';

/** Identifies a chosen file, so that another file gets a new form. */
export function fileKey({ name, lastModified, size }: File): string {
  return `${name} ${lastModified} ${size}`;
}

export function fileHeaders({ name }: File) {
  const type = /\.(ndjson|jsonl)(\.gz)?$/i.test(name) ? 'application/x-ndjson' : 'text/csv';
  return { 'content-type': type, ...(name.endsWith('.gz') ? { 'content-encoding': 'gzip' } : {}) } as const;
}

/**
 * Sends a chosen file to the API and returns what an upload would read from it. The API stores nothing.
 * @param isPaused true while the file is uploaded, so that it is not sent twice at once
 */
export function useFilePreview(file: File | null, query: NonNullable<PreviewUserFileData['query']>, isPaused: boolean) {
  const key = file && fileKey(file);
  return useQuery({
    queryKey: [previewKey, key, query],
    queryFn: async ({ signal }) => {
      if (file === null) throw new TypeError('no file is chosen');
      return (await previewUserFile({ body: file, headers: fileHeaders(file), query, signal, throwOnError: true }))
        .data;
    },
    enabled: file !== null && !isPaused,
    // The last preview of the same file stays, so that the columns remain selectable while the API reads the file
    // again.
    placeholderData: (before, query) => (query?.queryKey[1] === key ? before : undefined),
    // A file may be large: it is sent again only if the chosen columns change, and never because of an invalidation.
    staleTime: 'static',
    retry: false,
  });
}

export type FilePreviewQuery = ReturnType<typeof useFilePreview>;
