import { tellNext, writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderDeadLetter, renderDeadLetterGroups, renderDeadLetters } from './render-dead-letters.ts';
import { count } from '../show/numbers.ts';
import { createPaint } from '../show/paint.ts';
import { UsageError } from '../frame/usage-error.ts';
import { patientApi } from '../campaigns/commands.ts';

export interface LetterFilter {
  topic?: string;
  reason?: string;
  state?: string;
}

export interface LetterQuery extends LetterFilter {
  letters?: true;
  limit: number;
  cursor?: string;
}

export interface LetterSelection {
  topic?: string;
  reason?: string;
  all?: true;
}

const participles = { replay: 'published again', discard: 'discarded' } as const;

/** By topic and reason, or one by one. */
export async function listDeadLetters(
  { letters, limit, cursor, ...filter }: LetterQuery,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const api = patientApi(context);
  const paint = createPaint(terminal.colours.out);
  if (!letters) {
    const { value, raw } = await api.deadLetterGroups(filter);
    writeData(context, raw, () => renderDeadLetterGroups(value.items, paint, terminal.outColumns));
    return exitCodes.ok;
  }
  const { value, raw } = await api.deadLetters({ ...filter, limit, ...(cursor !== undefined && { cursor }) });
  writeData(context, raw, () => renderDeadLetters(value.items, paint, terminal.outColumns));
  tellNext(context, value.next);
  return exitCodes.ok;
}

export async function showDeadLetter(id: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await patientApi(context).deadLetter(id);
  writeData(context, raw, () => renderDeadLetter(value));
  return exitCodes.ok;
}

/** One letter by its id, or all that fit. */
export async function settleDeadLetters(
  verb: 'replay' | 'discard',
  id: string | undefined,
  { topic, reason, all }: LetterSelection,
  context: CommandContext,
): Promise<ExitCode> {
  const isFiltered = topic !== undefined || reason !== undefined;
  if ([id !== undefined, isFiltered, all === true].filter(Boolean).length !== 1)
    throw new UsageError('say which: a letter, --topic or --reason, or --all');
  const api = patientApi(context);
  if (id !== undefined) {
    const { value, raw } = await api.settleDeadLetter(id, verb);
    writeData(context, raw, () => `${value.id} ${value.state}\n`);
    return exitCodes.ok;
  }
  const selection = { ...(topic !== undefined && { topic }), ...(reason !== undefined && { reason }) };
  const { value, raw } = await api.settleDeadLetters(selection, verb);
  const letters = value.letters === 1 ? '1 letter is' : `${count(value.letters)} letters are`;
  writeData(context, raw, () => `${letters} ${verb === 'replay' ? 'to be ' : ''}${participles[verb]}\n`);
  return exitCodes.ok;
}
