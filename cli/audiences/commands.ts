import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { UploadedAudience } from '../../shared/contracts/campaigns/audiences.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { patientApi } from '../campaigns/commands.ts';
import { tellNext, writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderAudience, renderAudiences, renderRejects } from './render.ts';
import { count } from '../show/numbers.ts';
import { createPaint } from '../show/paint.ts';
import { UsageError } from '../frame/usage-error.ts';

export interface UploadOptions {
  name: string;
  country?: string;
  gzip?: true;
}

export async function uploadAudience(
  file: string,
  { name, country, gzip }: UploadOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const isPacked = gzip === true || file.endsWith('.gz');
  const content = file === '-' ? context.input : await openFile(file);
  const { value, raw } = await patientApi(context).uploadAudience({ name, country }, Readable.toWeb(content), isPacked);
  writeData(context, raw, () => `${value.id}\n`);
  if (!context.json) context.terminal.note(uploadedText(value));
  return exitCodes.ok;
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

function uploadedText({ id, users, duplicates, rejected }: UploadedAudience): string {
  const repeated = duplicates === 0 ? '' : `, ${count(duplicates)} rows repeat one of them`;
  const left = rejected === 0 ? '' : `, ${count(rejected)} are no user: muster audience rejects ${id}`;
  return `${count(users)} users${repeated}${left}\n`;
}

export async function listAudiences(
  { limit, cursor }: { limit: number; cursor?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { value, raw } = await patientApi(context).listAudiences(limit, cursor);
  writeData(context, raw, () => renderAudiences(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  tellNext(context, value.next);
  return exitCodes.ok;
}

export async function showAudience(id: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await patientApi(context).showAudience(id);
  writeData(context, raw, () => renderAudience(value, createPaint(context.terminal.colours.out)));
  return exitCodes.ok;
}

export async function listRejects(
  id: string,
  { limit }: { limit: number },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { value, raw } = await patientApi(context).audienceRejects(id, limit);
  writeData(context, raw, () => renderRejects(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  if (!context.json && value.next !== null) terminal.note('there are more: --limit shows up to 1000\n');
  return exitCodes.ok;
}

export async function deleteAudience(id: string, { yes }: { yes?: true }, context: CommandContext): Promise<ExitCode> {
  const api = patientApi(context);
  if (!yes && canAsk(context)) {
    const { value } = await api.showAudience(id);
    if (!(await isConfirmed(`${value.name}, ${count(value.users)} users, for good. Delete it?`, context))) {
      context.terminal.note('not deleted\n');
      return exitCodes.failure;
    }
  }
  await api.deleteAudience(id);
  writeData(context, { id, deleted: true }, () => `${id} deleted\n`);
  return exitCodes.ok;
}
