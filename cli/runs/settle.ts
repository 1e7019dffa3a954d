import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { SettlementShape } from '../../shared/contracts/runs/settlements.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderSettlement, renderSettlements } from './render-settlements.ts';
import { createPaint } from '../show/paint.ts';
import { UsageError } from '../frame/usage-error.ts';
import type { SettlementFile } from '../api/api-client.ts';
import { patientApi } from '../campaigns/commands.ts';
import { runOf } from './run-of.ts';

export interface SettleOptions {
  byStatus?: true;
  file?: string;
  user?: string;
  step?: number;
  outcome?: string;
  code?: string;
  country?: string;
}

/** Says how unknown outcomes ended: by status, by file, or one user by hand. */
export async function settleRun(id: string, options: SettleOptions, context: CommandContext): Promise<ExitCode> {
  const wanted = await wantedBy(options);
  const api = patientApi(context);
  const { value, raw } = await api.settleRun(await runOf(id, api), wanted);
  writeData(context, raw, () => renderSettlement(value));
  return isComplete(value) ? exitCodes.ok : exitCodes.failure;
}

export async function listSettlements(id: string, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const api = patientApi(context);
  const { value, raw } = await api.settlements(await runOf(id, api));
  writeData(context, raw, () => renderSettlements(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}

/** Nothing was rejected, or it has only begun. */
function isComplete({ rejected, state }: SettlementShape): boolean {
  return rejected === 0 && state !== 'failed';
}

async function wantedBy(options: SettleOptions): Promise<object | SettlementFile> {
  const { byStatus, file, user, step, outcome, code, country } = options;
  if ([byStatus, file, user].filter((given) => given !== undefined).length !== 1) {
    throw new UsageError('give one of --by-status, --file and --user');
  }
  if (file !== undefined) return await fileOf(file);
  if (byStatus) return { by: 'status', step, country };
  if (step === undefined || outcome === undefined) throw new UsageError('--user goes with --step and --outcome');
  return { by: 'hand', userId: user, step, outcome, code, country };
}

async function fileOf(path: string): Promise<SettlementFile> {
  await access(path).catch(() => {
    throw new UsageError(`there is no file ${path}`);
  });
  const type = path.endsWith('.ndjson') || path.endsWith('.jsonl') ? 'application/x-ndjson' : 'text/csv';
  return { content: Readable.toWeb(createReadStream(path)), type };
}
