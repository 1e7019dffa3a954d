import { z } from 'zod';
import { groupShape } from '../../shared/contracts/schedules/schedules.ts';
import { readFields, type WrittenOptions } from '../action-types/read-fields.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { createPaint } from '../show/paint.ts';
import { renderGroups } from './render.ts';
import { askFor, askToChange } from './ask-for.ts';

const page = z.object({ items: z.array(groupShape) });
const pathOf = (name: string) => `/v1/groups/${encodeURIComponent(name)}`;

export async function listGroups(context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await askFor(page, '/v1/groups', context);
  const { terminal } = context;
  writeData(context, raw, () => renderGroups(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}

export async function showGroup(name: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await askFor(groupShape, pathOf(name), context);
  const { terminal } = context;
  writeData(context, raw, () => renderGroups([value], createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}

export async function putGroup(
  name: string,
  words: readonly string[],
  options: WrittenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const isBare = words.length === 0 && options.file === undefined;
  const body = isBare ? {} : await readFields(words, options, context.input);
  const { value, raw } = await askToChange(groupShape, { method: 'PUT', path: pathOf(name), body }, 'not put', context);
  writeData(context, raw, () => `${value.name} revision ${value.revision}\n`);
  return exitCodes.ok;
}

export async function deleteGroup(name: string, context: CommandContext): Promise<ExitCode> {
  await askToChange(z.undefined(), { method: 'DELETE', path: pathOf(name) }, 'not deleted', context);
  context.terminal.note(`${name} is deleted\n`);
  return exitCodes.ok;
}
