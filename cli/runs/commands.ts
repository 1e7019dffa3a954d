import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderComparison } from './comparison.ts';
import { createPaint } from '../show/paint.ts';
import { renderRates } from './rates.ts';
import { renderReport } from './report.ts';
import { renderFailures, renderReceipts, renderRuns } from './render.ts';
import { UsageError } from '../frame/usage-error.ts';
import type { FailureFilter, FailureForm, ReceiptFilter } from '../api/api-client.ts';
import { patientApi } from '../campaigns/commands.ts';
import { runOf } from './run-of.ts';

export async function reportCampaign(id: string, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const api = patientApi(context);
  const { value, raw } = await api.report(await runOf(id, api));
  const paint = createPaint(terminal.colours.out);
  writeData(context, raw, () => `\n${renderReport(value, paint, terminal.outColumns)}\n`);
  return exitCodes.ok;
}

export async function compareRun(
  id: string,
  { with: beside }: { with?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const api = patientApi(context);
  const { value, raw } = await api.comparison(await runOf(id, api), beside);
  writeData(context, raw, () => renderComparison(value, createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}

export async function showRates(id: string, context: CommandContext): Promise<ExitCode> {
  const api = patientApi(context);
  const { value, raw } = await api.rates(await runOf(id, api));
  writeData(context, raw, () => renderRates(value, context.terminal.outColumns));
  return exitCodes.ok;
}

export async function listRuns(id: string, { limit }: { limit: number }, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const api = patientApi(context);
  await api.showCampaign(id);
  const { value, raw } = await api.listRuns(id, limit);
  writeData(context, raw, () => renderRuns(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}

/** How much of a list, and in which form. */
interface ListOptions {
  limit: number;
  csv?: true;
  ndjson?: true;
  raw?: true;
  excel?: true;
}

export type FailureOptions = FailureFilter & ListOptions;
export type ReceiptOptions = ReceiptFilter & ListOptions;

/** The users that failed: the first of them as a table, or all of them as CSV or lines of JSON. */
export async function listFailures(id: string, options: FailureOptions, context: CommandContext): Promise<ExitCode> {
  const { step, country, reason, outcome, limit } = options;
  const { terminal, json } = context;
  const form = formOf(options, json);
  const api = patientApi(context);
  const runId = await runOf(id, api);
  const filter = { step, country, reason, outcome };
  if (form) {
    await terminal.stream(await api.allFailures(runId, filter, form));
    return exitCodes.ok;
  }
  const { value, raw } = await api.failures(runId, filter, limit);
  writeData(context, raw, () => renderFailures(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  if (value.next !== null && !json) terminal.note(`more: --limit ${Math.min(limit * 10, 1000)}, or all with --csv\n`);
  return exitCodes.ok;
}

/** Whom a provider said something of: the first of them as a table, or all of them as CSV or lines of JSON. */
export async function listReceipts(id: string, options: ReceiptOptions, context: CommandContext): Promise<ExitCode> {
  const { step, country, status, limit } = options;
  const { terminal, json } = context;
  const form = formOf(options, json);
  const api = patientApi(context);
  const runId = await runOf(id, api);
  const filter = { step, country, status };
  if (form) {
    await terminal.stream(await api.allReceipts(runId, filter, form));
    return exitCodes.ok;
  }
  const { value, raw } = await api.receipts(runId, filter, limit);
  writeData(context, raw, () => renderReceipts(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  if (value.next !== null && !json) terminal.note(`more: --limit ${Math.min(limit * 10, 1000)}, or all with --csv\n`);
  return exitCodes.ok;
}

function formOf({ csv, ndjson, raw, excel }: ListOptions, json: boolean): FailureForm | undefined {
  if ([csv, ndjson, json].filter(Boolean).length > 1) throw new UsageError('give one of --csv, --ndjson and --json');
  if (!csv && (raw || excel)) throw new UsageError('--raw and --excel go with --csv');
  if (ndjson) return { type: 'ndjson' };
  return csv ? { type: 'csv', raw: raw === true, excel: excel === true } : undefined;
}
