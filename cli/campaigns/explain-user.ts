import { writeData, type CommandContext } from '../command-context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { renderExplanation } from '../render/explanation.ts';
import { createPaint } from '../render/paint.ts';
import { patientApi } from './commands.ts';
import { runOf } from './run-of.ts';

export async function explainUser(id: string, user: string, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const api = patientApi(context);
  const { value, raw } = await api.explain(await runOf(id, api), user);
  writeData(context, raw, () => renderExplanation(value, createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}
