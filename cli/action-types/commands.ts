import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { ApiRefusal } from '../api/api-answers.ts';
import { createAsk, type Ask } from '../api/ask.ts';
import { exchangeFrom } from '../api/environment.ts';
import type { ApiRequest } from '../api/exchange.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { actionType, renderActionType, renderActionTypes } from './render.ts';
import { createPaint } from '../show/paint.ts';
import { oneLine } from '../show/text.ts';
import { readFields, type WrittenOptions } from './read-fields.ts';
import { readSecretFiles } from './read-secret.ts';

const page = z.object({ items: z.array(actionType) });

/** Waits while the API says 503, and tells that it does. */
export function patientAsk({ environment, terminal }: CommandContext): Ask {
  const onWait = (what: string) => terminal.note(`${oneLine(what)}\n`);
  return createAsk(exchangeFrom(environment, { clock: systemClock, onWait }));
}

export const pathOf = (name: string) => `/v1/action-types/${encodeURIComponent(name)}`;

export async function listActionTypes(context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const { value, raw } = await patientAsk(context)(page, { method: 'GET', path: '/v1/action-types' });
  const paint = createPaint(terminal.colours.out);
  writeData(context, raw, () => renderActionTypes(value.items, paint, terminal.outColumns));
  return exitCodes.ok;
}

export async function showActionType(name: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await patientAsk(context)(actionType, { method: 'GET', path: pathOf(name) });
  writeData(context, raw, () => renderActionType(value, createPaint(context.terminal.colours.out)));
  return exitCodes.ok;
}

export async function createActionType(
  name: string,
  words: readonly string[],
  options: WrittenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const body = { ...(await readFields(words, options, context.input)), name };
  const idempotencyKey = `cli-${randomUUID()}`;
  const request: ApiRequest = { method: 'POST', path: '/v1/action-types', body, idempotencyKey };
  return await changeActionType(request, { outcome: 'not registered', said: 'is registered' }, context);
}

export interface SetOptions extends WrittenOptions {
  authorizationFile?: string | undefined;
  signingFile?: string | undefined;
}

export async function setActionType(
  name: string,
  words: readonly string[],
  options: SetOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const secrets = await readSecretFiles(options, context.input);
  const isOnlySecrets = secrets !== undefined && words.length === 0 && options.file === undefined;
  const written = isOnlySecrets ? {} : await readFields(words, options, context.input);
  const body = { ...written, ...(secrets && { secrets }) };
  const wording = { outcome: 'not changed', said: 'is changed' };
  return await changeActionType({ method: 'PATCH', path: pathOf(name), body }, wording, context);
}

export async function enableActionType(name: string, enabled: boolean, context: CommandContext): Promise<ExitCode> {
  const wording = { outcome: 'not changed', said: enabled ? 'is enabled' : 'is disabled: what runs goes on' };
  return await changeActionType({ method: 'PATCH', path: pathOf(name), body: { enabled } }, wording, context);
}

export async function deleteActionType(name: string, context: CommandContext): Promise<ExitCode> {
  try {
    await patientAsk(context)(z.undefined(), { method: 'DELETE', path: pathOf(name) });
  } catch (error) {
    throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, { outcome: 'not deleted' }) : error;
  }
  context.terminal.note(`${name} is deleted\n`);
  return exitCodes.ok;
}

interface ChangeWording {
  outcome: string;
  said: string;
  /** What the user calls what a pointer names. */
  labelOf?: ((pointer: string) => string) | undefined;
}

/** Asks for a change of one, and says what has become of it. */
export async function changeActionType(
  request: ApiRequest,
  { outcome, said, labelOf = fieldLabel }: ChangeWording,
  context: CommandContext,
): Promise<ExitCode> {
  try {
    const { value, raw } = await patientAsk(context)(actionType, request);
    writeData(context, raw, () => `${value.name} revision ${value.revision}\n`);
    if (!context.json) context.terminal.note(`${value.name} ${said}; workers know in about a second\n`);
    return exitCodes.ok;
  } catch (error) {
    throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, { outcome, labelOf }) : error;
  }
}

/** `timeoutMs` for `/timeoutMs`. */
function fieldLabel(pointer: string): string {
  return pointer.replace(/^\//, '').replaceAll('/', '.');
}
