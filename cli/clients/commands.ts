import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { clientForecast, clientLedger } from '../../shared/contracts/jobs/client-figures.ts';
import { patientAsk } from '../action-types/commands.ts';
import { readFields, type WrittenOptions } from '../action-types/read-fields.ts';
import { ApiRefusal } from '../api/api-answers.ts';
import type { ApiRequest } from '../api/exchange.ts';
import { tellNext, writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { addedKey, renderClient, renderClients, renderForecast, renderLedger, shownClient } from './render.ts';
import { createPaint } from '../show/paint.ts';
import { UsageError } from '../frame/usage-error.ts';

const page = z.object({ items: z.array(shownClient), next: z.string().nullable() });

const pathOf = (client: string, rest = '') => `/v1/clients/${encodeURIComponent(client)}${rest}`;

export async function listClients(
  { limit, cursor }: { limit: number; cursor?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const query = new URLSearchParams({ limit: String(limit), ...(cursor !== undefined && { cursor }) });
  const { value, raw } = await patientAsk(context)(page, { method: 'GET', path: `/v1/clients?${query.toString()}` });
  writeData(context, raw, () => renderClients(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  tellNext(context, value.next);
  return exitCodes.ok;
}

export async function showClient(client: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await patientAsk(context)(shownClient, { method: 'GET', path: pathOf(client) });
  writeData(context, raw, () => renderClient(value, createPaint(context.terminal.colours.out)));
  return exitCodes.ok;
}

export async function createClient(
  name: string,
  words: readonly string[],
  options: WrittenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const isBare = words.length === 0 && options.file === undefined;
  const fields = isBare ? {} : await readFields(words, options, context.input);
  const body = { ...fields, name };
  const request: ApiRequest = { method: 'POST', path: '/v1/clients', body, idempotencyKey: `cli-${randomUUID()}` };
  const said = 'is made; its calls are not signed before muster clients add-key';
  return await change(request, { outcome: 'not created', said }, context);
}

export async function setClient(
  client: string,
  words: readonly string[],
  options: WrittenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const body = await readFields(words, options, context.input);
  const wording = { outcome: 'not changed', said: 'is changed; everybody knows in about a second' };
  return await change({ method: 'PATCH', path: pathOf(client), body }, wording, context);
}

export async function disableClient(client: string, body: { reason?: string }, context: CommandContext) {
  const wording = { outcome: 'not disabled', said: 'is disabled: what is stored waits' };
  return await change({ method: 'POST', path: pathOf(client, '/disable'), body }, wording, context);
}

export async function enableClient(client: string, context: CommandContext): Promise<ExitCode> {
  const wording = { outcome: 'not enabled', said: 'is enabled' };
  return await change({ method: 'POST', path: pathOf(client, '/enable') }, wording, context);
}

export async function addClientKey(
  client: string,
  { othersExpireIn, secretFile }: { othersExpireIn?: number; secretFile?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const secret = secretFile === undefined ? undefined : (await contentOf(secretFile, context)).trim();
  const body = { secret, othersExpireInSeconds: othersExpireIn };
  const { value, raw } = await refusedAs('not added', () =>
    patientAsk(context)(addedKey, { method: 'POST', path: pathOf(client, '/keys'), body }),
  );
  writeData(context, raw, () => `${value.secret ?? value.key.id}\n`);
  if (!context.json && value.secret !== null) context.terminal.note(`${value.key.id}: shown this once\n`);
  return exitCodes.ok;
}

export async function removeClientKey(client: string, key: string, context: CommandContext): Promise<ExitCode> {
  const path = pathOf(client, `/keys/${encodeURIComponent(key)}`);
  return await change({ method: 'DELETE', path }, { outcome: 'not removed', said: `signs without ${key}` }, context);
}

export async function showLedger(client: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await patientAsk(context)(clientLedger, { method: 'GET', path: pathOf(client, '/ledger') });
  writeData(context, raw, () => renderLedger(value, createPaint(context.terminal.colours.out)));
  return value.balanced ? exitCodes.ok : exitCodes.failure;
}

export async function showForecast(
  client: string,
  { hours }: { hours: number },
  context: CommandContext,
): Promise<ExitCode> {
  const path = pathOf(client, `/forecast?hours=${hours}`);
  const { value, raw } = await patientAsk(context)(clientForecast, { method: 'GET', path });
  writeData(context, raw, () => renderForecast(value, createPaint(context.terminal.colours.out)));
  return exitCodes.ok;
}

async function contentOf(file: string, { input }: CommandContext): Promise<string> {
  if (file === '-') return await text(input);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function change(
  request: ApiRequest,
  { outcome, said }: { outcome: string; said: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { value, raw } = await refusedAs(outcome, () => patientAsk(context)(shownClient, request));
  writeData(context, raw, () => `${value.id}\n`);
  if (!context.json) context.terminal.note(`${value.name} ${said}\n`);
  return exitCodes.ok;
}

/** A field for its pointer: `retry.attempts` for `/retry/attempts`. */
async function refusedAs<Result>(outcome: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    const labelOf = (pointer: string) => pointer.replace(/^\//, '').replaceAll('/', '.');
    throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, { outcome, labelOf }) : error;
  }
}
