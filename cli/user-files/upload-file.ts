import { Readable } from 'node:stream';
import { streamOf } from '../frame/given.ts';
import { flag } from '../frame/options.ts';
import { fileOptions } from './file-reading.ts';

export const uploadOptions = {
  ...fileOptions,
  gzip: flag('--gzip', 'the file is compressed with gzip, although its name does not end with .gz'),
  preview: flag('--preview', 'only show how the file would be read; nothing is stored'),
};

interface FileRequest {
  gzip: true | undefined;
  input: Readable;
  type?: 'text/csv' | 'application/x-ndjson';
}

/** Returns the request fields that stream a file. Throws a UsageError if the file does not exist. */
export async function fileRequest(file: string, { gzip, input, type = 'text/csv' }: FileRequest) {
  const isPacked = gzip === true || file.endsWith('.gz');
  return {
    body: Readable.toWeb(await streamOf(file, input)),
    bodySerializer: null,
    duplex: 'half',
    headers: { 'content-type': type, ...(isPacked && { 'content-encoding': 'gzip' }) },
  } as const;
}
