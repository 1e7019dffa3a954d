import { tellNext, writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { createPaint } from '../show/paint.ts';
import { renderQuarantined, renderQuarantinedStep } from './render-quarantined.ts';
import { patientApi } from '../campaigns/commands.ts';
import { runOf } from '../runs/run-of.ts';

export interface QuarantineQuery {
  run?: string;
  state?: string;
  limit: number;
  cursor?: string;
}

export async function listQuarantined(options: QuarantineQuery, context: CommandContext): Promise<ExitCode> {
  const { run, ...query } = options;
  const { terminal } = context;
  const api = patientApi(context);
  const runId = run === undefined ? undefined : await runOf(run, api);
  const { value, raw } = await api.quarantinedSteps({ ...query, runId });
  writeData(context, raw, () => renderQuarantined(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  tellNext(context, value.next);
  return exitCodes.ok;
}

export async function showQuarantined(id: string, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const { value, raw } = await patientApi(context).quarantinedStep(id);
  writeData(context, raw, () => renderQuarantinedStep(value, createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}

export async function decideQuarantined(
  verb: 'replay' | 'discard',
  id: string,
  context: CommandContext,
): Promise<ExitCode> {
  const { value, raw } = await patientApi(context).decideQuarantinedStep(id, verb);
  writeData(context, raw, () => `${value.id} ${value.state}\n`);
  return exitCodes.ok;
}
