import { useQuery } from '@tanstack/react-query';
import { previewUserFile } from '#client/sdk.gen.ts';
import type { PreviewUserFileData } from '#client/types.gen.ts';

/** Key of all previews of files. */
export const previewKey = 'previewUserFile';

/** Identifies a file that was chosen: another file is another form. */
export function fileKey({ name, lastModified, size }: File): string {
  return `${name} ${lastModified} ${size}`;
}

/** Headers of a request whose body is this file. */
export function fileHeaders({ name }: File) {
  const type = /\.(ndjson|jsonl)(\.gz)?$/i.test(name) ? 'application/x-ndjson' : 'text/csv';
  return { 'content-type': type, ...(name.endsWith('.gz') ? { 'content-encoding': 'gzip' } : {}) } as const;
}

/**
 * Sends a file that was chosen to the API, which stores nothing, and returns what an upload would read in it.
 * @param isPaused true while the file is uploaded: it is not sent twice at once
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
    // Columns stay to choose from while the file is read again with others.
    placeholderData: (before, query) => (query?.queryKey[1] === key ? before : undefined),
    // A file may be large: it is sent again only with other columns, whatever is invalidated.
    staleTime: 'static',
    retry: false,
  });
}

export type FilePreviewQuery = ReturnType<typeof useFilePreview>;
