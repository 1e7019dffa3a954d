import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { acceptedJob, cancelledJob, jobChange, jobShape, jobSummary } from '../../shared/contracts/jobs/jobs.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { patientAsk } from '../action-types/commands.ts';
import { ApiRefusal, ApiUnavailable } from '../api/api-answers.ts';
import { exchangeFrom } from '../api/environment.ts';
import { createExchange } from '../api/exchange.ts';
import { tellNext, writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderJob, renderJobs } from './render.ts';
import { count } from '../show/numbers.ts';
import { createPaint } from '../show/paint.ts';
import { oneLine } from '../show/text.ts';
import { UsageError } from '../frame/usage-error.ts';

export interface DueOptions {
  at?: string;
  in?: string;
}

export interface ScheduleOptions extends DueOptions {
  method?: string;
  body?: string;
  key?: string;
  tag?: string[];
  relevancy?: number;
}

export interface JobQuery {
  client?: string;
  state?: string;
  tag?: string;
  dueFrom?: string;
  dueUntil?: string;
  limit: number;
  cursor?: string;
}

export interface ChangeOptions extends DueOptions {
  state?: string;
  tag?: string;
  dueFrom?: string;
  dueUntil?: string;
}

const page = z.object({ items: z.array(jobSummary), next: z.string().nullable() });
const pathOf = (id: string, rest = '') => `/v1/jobs/${encodeURIComponent(id)}${rest}`;

export async function scheduleJob(
  client: string,
  url: string,
  { method, body, key, tag, relevancy, ...due }: ScheduleOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const job = {
    ...{ client, url, method, idempotencyKey: key, tags: tag, relevancySeconds: relevancy },
    ...dueOf(due),
    body: body === undefined ? undefined : valueOf(body),
  };
  const { value, raw } = await refusedAs('not scheduled', () =>
    patientAsk(context)(acceptedJob, { method: 'POST', path: '/v1/jobs', body: job }),
  );
  writeData(context, raw, () => `${value.id}\n`);
  if (context.json) return exitCodes.ok;
  const when = value.dueAt === null ? 'has ended, or waits for its host' : `is due ${value.dueAt}`;
  context.terminal.note(`${value.duplicate ? 'was scheduled before and ' : ''}${when}\n`);
  for (const { detail } of value.warnings) context.terminal.note(`${oneLine(detail)}\n`);
  return exitCodes.ok;
}

export async function listJobs(query: JobQuery, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const { limit, ...filter } = query;
  const parameters = new URLSearchParams({ ...filter, limit: String(limit) });
  const { value, raw } = await patientAsk(context)(page, { method: 'GET', path: `/v1/jobs?${parameters.toString()}` });
  writeData(context, raw, () => renderJobs(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  tellNext(context, value.next);
  return exitCodes.ok;
}

export async function showJob(id: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await patientAsk(context)(jobShape, { method: 'GET', path: pathOf(id) });
  writeData(context, raw, () => renderJob(value, createPaint(context.terminal.colours.out)));
  return exitCodes.ok;
}

/** One after the other: the first that cannot be found ends it, and what was cancelled is cancelled. */
export async function cancelJobs(ids: readonly string[], context: CommandContext): Promise<ExitCode> {
  for (const id of ids) {
    const request = { method: 'POST', path: pathOf(id, '/cancel') } as const;
    const { value, raw } = await refusedAs('not cancelled', () => patientAsk(context)(cancelledJob, request));
    writeData(context, raw, () => `${value.id} ${value.result}\n`);
  }
  return exitCodes.ok;
}

export async function rescheduleJob(id: string, due: DueOptions, context: CommandContext): Promise<ExitCode> {
  return await move(id, { verb: 'reschedule', body: dueOf(due) }, context);
}

export async function runJobNow(id: string, context: CommandContext): Promise<ExitCode> {
  return await move(id, { verb: 'run-now', body: undefined }, context);
}

async function move(id: string, { verb, body }: { verb: string; body: object | undefined }, context: CommandContext) {
  const request = { method: 'POST', path: pathOf(id, `/${verb}`), ...(body && { body }) } as const;
  const { value, raw } = await refusedAs('not moved', () => patientAsk(context)(jobShape, request));
  writeData(context, raw, () => `${value.id} ${value.state}, due ${value.dueAt ?? 'never'}\n`);
  return exitCodes.ok;
}

export async function changeJobs(
  verb: 'cancel' | 'reschedule',
  client: string,
  { at, in: seconds, ...filter }: ChangeOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const due = dueOf({ ...(at !== undefined && { at }), ...(seconds !== undefined && { in: seconds }) });
  const request = { method: 'POST', path: '/v1/jobs/changes', body: { verb, client, ...filter, ...due } } as const;
  const { value, raw } = await refusedAs('not begun', () => patientAsk(context)(jobChange, request));
  writeData(context, raw, () => `${value.id}\n`);
  if (!context.json) context.terminal.note(`begun; how far it is: muster jobs change ${value.id}\n`);
  return exitCodes.ok;
}

export async function showJobChange(id: string, context: CommandContext): Promise<ExitCode> {
  const path = `/v1/jobs/changes/${encodeURIComponent(id)}`;
  const { value, raw } = await patientAsk(context)(jobChange, { method: 'GET', path });
  const { state, verb, seen, changed, tooLate } = value;
  const done = verb === 'cancel' ? 'cancelled' : 'moved';
  const text = `${id} ${state}: ${count(seen)} fitted, ${count(changed)} ${done}, too late for ${count(tooLate)}\n`;
  writeData(context, raw, () => text);
  return exitCodes.ok;
}

const result = z.looseObject({
  line: z.int(),
  status: z.enum(['accepted', 'duplicate', 'refused', 'unknown']),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).default([]),
});

/** What is wrong with a line is told at once; the others go on. */
export async function sendJobs(
  file: string,
  { client }: { client?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, environment } = context;
  const type = 'application/x-ndjson';
  const content = Readable.toWeb(file === '-' ? context.input : await openFile(file));
  const query = client === undefined ? '' : `?${new URLSearchParams({ client }).toString()}`;
  const request = { method: 'POST', path: `/v1/jobs/bulk${query}`, file: { content, type }, accept: type } as const;
  const deps = exchangeFrom(environment, { clock: systemClock, onWait: (what) => terminal.note(`${oneLine(what)}\n`) });
  const send = createExchange(deps);
  const { body } = await refusedAs('not sent', () => send(request));
  const counts = { accepted: 0, duplicate: 0, refused: 0, unknown: 0 };
  if (body) {
    for await (const line of createInterface({ input: Readable.from(body), crlfDelay: Infinity })) {
      const read = result.safeParse(parsed(line));
      if (!read.success) throw new ApiUnavailable('the answer was cut: the last lines may be stored or not');
      counts[read.data.status]++;
      if (context.json) terminal.out(`${line}\n`);
      else
        for (const each of read.data.errors)
          terminal.note(`line ${read.data.line}: ${oneLine(`${each.pointer} ${each.detail}`)}\n`);
    }
  }
  const { accepted, duplicate, refused, unknown } = counts;
  if (!context.json)
    terminal.out(
      `${count(accepted)} accepted, ${count(duplicate)} known, ${count(refused)} refused, ${count(unknown)} unknown\n`,
    );
  return refused + unknown === 0 ? exitCodes.ok : exitCodes.failure;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Looked at first: a stream says only in the middle of a request that there is no such file. */
async function openFile(file: string): Promise<Readable> {
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return createReadStream(file);
}

function dueOf({ at, in: seconds }: DueOptions): { dueAt?: string; delaySeconds?: number } {
  if (seconds !== undefined && !/^\d+(\.\d+)?$/.test(seconds))
    throw new UsageError(`--in ${seconds}: has to be seconds`);
  return { ...(at !== undefined && { dueAt: at }), ...(seconds !== undefined && { delaySeconds: Number(seconds) }) };
}

/** An object or a list where it can be read as one, and a text otherwise. */
function valueOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function refusedAs<Result>(outcome: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    const labelOf = (pointer: string) => pointer.replace(/^\//, '').replaceAll('/', '.');
    throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, { outcome, labelOf }) : error;
  }
}
