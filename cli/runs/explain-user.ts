import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderExplanation } from './explanation.ts';
import { createPaint } from '../show/paint.ts';
import { patientApi } from '../campaigns/commands.ts';
import { runOf } from './run-of.ts';

export async function explainUser(id: string, user: string, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const api = patientApi(context);
  const { value, raw } = await api.explain(await runOf(id, api), user);
  writeData(context, raw, () => renderExplanation(value, createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}
