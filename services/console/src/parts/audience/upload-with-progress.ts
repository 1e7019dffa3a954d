import { uploadAudience } from '#client/sdk.gen.ts';
import type { UploadedAudience } from '#client/types.gen.ts';
import { columnQuery, type ColumnChoice } from '../file-preview/column-choice.ts';
import { fileHeaders } from '../file-preview/use-file-preview.ts';

export interface Upload {
  file: File;
  name: string;
  /** Owner of the list. Default: the key that uploads it. */
  owner: string | undefined;
  columns: ColumnChoice;
  /** Rejected rows that the upload may skip; null means 5 % of all rows. */
  acceptRejected: number | null;
  /** Called with the bytes of the file that the browser has sent. */
  onSent: (bytes: number) => void;
  signal: AbortSignal;
}

/** Uploads a list by XMLHttpRequest: fetch does not report how much of a body was sent. */
export async function uploadWithProgress({ file, onSent, signal, ...upload }: Upload): Promise<UploadedAudience> {
  const { name, owner, columns, acceptRejected } = upload;
  const { data } = await uploadAudience({
    query: {
      name,
      ...(owner !== undefined && { owner }),
      ...columnQuery(columns),
      ...(acceptRejected !== null && { acceptRejected }),
    },
    body: file,
    headers: fileHeaders(file),
    fetch: (input, init) => sendWithProgress(new Request(input, init), file, onSent, signal),
    throwOnError: true,
  });
  return data;
}

export function sendWithProgress(
  request: Request,
  file: File,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(request.method, request.url);
    request.headers.forEach((value, name) => xhr.setRequestHeader(name, value));
    if (!request.headers.has('content-type')) xhr.setRequestHeader('content-type', 'text/csv');
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
    xhr.onload = () => {
      const type = xhr.getResponseHeader('content-type') ?? '';
      resolve(new Response(xhr.responseText, { status: xhr.status, headers: { 'content-type': type } }));
    };
    xhr.onerror = () => reject(new Error('the list could not be sent: the API did not answer'));
    xhr.onabort = () => reject(new Error('the upload was cancelled'));
    signal.addEventListener('abort', () => xhr.abort(), { once: true });
    xhr.send(file);
  });
}
