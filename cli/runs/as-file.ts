import { ApiUnavailable } from '../api/failures.ts';
import { apiOf, type Call } from '../frame/command-table.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { flag } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { runOf } from './run-of.ts';

export const forms = {
  csv: flag('--csv', 'all as CSV, with an apostrophe before texts that a spreadsheet would execute'),
  raw: flag('--raw', 'with --csv: all texts unchanged, for programs'),
  excel: flag('--excel', 'with --csv: with the byte order mark that Excel needs'),
  ndjson: flag('--ndjson', 'all as lines of JSON'),
};

/** Options for a whole list as a file: `raw` does not escape spreadsheet formulas, `excel` adds a byte order mark. */
export interface Form {
  csv?: true;
  raw?: true;
  excel?: true;
  ndjson?: true;
}

/** Returns the media type of the requested file; undefined for a table. */
export function typeOf({ csv, ndjson, raw, excel }: Form, json: boolean): string | undefined {
  if ([csv, ndjson, json].filter(Boolean).length > 1) throw new UsageError('give one of --csv, --ndjson and --json');
  if (!csv && (raw || excel)) throw new UsageError('--raw and --excel go with --csv');
  if (ndjson) return 'application/x-ndjson';
  return csv ? 'text/csv' : undefined;
}

/** Writes a whole list. Rejects if the connection ends before the list does. */
export async function writeAll(
  list: 'failures' | 'receipts' | 'users' | 'held-out' | 'report/table',
  filter: object,
  accept: string,
  { args: [id], options: { raw, excel }, context }: Call<[string], Form>,
): Promise<ExitCode> {
  const client = await apiOf(context);
  const { data } = await client.get<ReadableStream<Uint8Array>, unknown, true>({
    url: `/v1/runs/{id}/${list}`,
    path: { id: await runOf(id, client) },
    query: { ...filter, ...(raw && { raw }), ...(excel && { for: 'excel' }) },
    headers: { accept },
    parseAs: 'stream',
  });
  await context.terminal.stream(textOf(data));
  return exitCodes.ok;
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
  } catch (error) {
    throw new ApiUnavailable('the answer was cut: what was written is not all there is', { cause: error });
  }
  yield decoder.decode();
}
