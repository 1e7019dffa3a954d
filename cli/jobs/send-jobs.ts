import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { ApiUnavailable } from '../api/failures.ts';
import { inCommands } from '../api/in-commands.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { apiOf, fieldLabel, worded } from '../frame/command-table.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { streamOf } from '../frame/given.ts';
import { count } from '../show/numbers.ts';
import { oneLine } from '../show/text.ts';

const result = z.looseObject({
  line: z.int(),
  status: z.enum(['accepted', 'duplicate', 'refused', 'unknown']),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).default([]),
});

/** Streams jobs from a file. Reports errors of lines at once and continues. */
export async function sendJobs(file: string, query: { client?: string }, context: CommandContext): Promise<ExitCode> {
  const { terminal, json, input } = context;
  const client = await apiOf(context);
  const body = Readable.toWeb(await streamOf(file, input));
  const type = 'application/x-ndjson';
  const { data } = await worded({ outcome: 'not sent', labelOf: fieldLabel }, () =>
    client.post<ReadableStream<Uint8Array>, unknown, true>({
      url: '/v1/jobs/bulk',
      query,
      body,
      bodySerializer: null,
      duplex: 'half',
      parseAs: 'stream',
      headers: { 'content-type': type, accept: type },
    }),
  );
  const counts = { accepted: 0, duplicate: 0, refused: 0, unknown: 0 };
  for await (const line of createInterface({ input: Readable.from(data), crlfDelay: Infinity })) {
    const read = result.safeParse(parsed(line));
    if (!read.success) throw new ApiUnavailable('the answer was cut: the last lines may be stored or not');
    counts[read.data.status]++;
    if (json) terminal.out(`${line}\n`);
    else
      for (const { pointer, detail } of read.data.errors)
        terminal.note(`line ${read.data.line}: ${oneLine(`${pointer} ${inCommands(detail)}`)}\n`);
  }
  const { accepted, duplicate, refused, unknown } = counts;
  const sums = `${count(accepted)} accepted, ${count(duplicate)} known, ${count(refused)} refused, ${count(unknown)} unknown`;
  if (!json) terminal.out(`${sums}\n`);
  return refused + unknown === 0 ? exitCodes.ok : exitCodes.failure;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
