import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderBudgets } from './render-budgets.ts';
import { createPaint } from '../show/paint.ts';
import { budgetsOf } from './budget-texts.ts';
import { patientApi } from './commands.ts';

/** Shows the budgets of a campaign; changes those that are given before that. */
export async function campaignBudgets(
  id: string,
  texts: readonly string[],
  context: CommandContext,
): Promise<ExitCode> {
  const api = patientApi(context);
  const wanted = budgetsOf(texts);
  const { value, raw } = wanted.length === 0 ? await api.budgets(id) : await api.changeBudgets(id, wanted);
  const { colours, outColumns } = context.terminal;
  writeData(context, raw, () =>
    value.items.length === 0
      ? 'no budgets: nothing is limited\n'
      : renderBudgets(value.items, createPaint(colours.out), outColumns),
  );
  return exitCodes.ok;
}
