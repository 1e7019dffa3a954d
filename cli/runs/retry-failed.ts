import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { count } from '../show/numbers.ts';
import { createPaint } from '../show/paint.ts';
import { renderRetryGroups } from './render-retries.ts';
import { patientApi } from '../campaigns/commands.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { runOf } from './run-of.ts';

export interface RetryOptions {
  reason?: string[] | undefined;
  step?: number[] | undefined;
  country?: string[] | undefined;
  action?: string[] | undefined;
  deadlineSeconds?: number | undefined;
  preview?: true | undefined;
  yes?: true | undefined;
}

/** Shows who would be tried again, asks a person, and starts the run that does it. */
export async function retryFailed(id: string, options: RetryOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const api = patientApi(context);
  const runId = await runOf(id, api);
  const wish = wishOf(options);
  const shown = (groups: Parameters<typeof renderRetryGroups>[0]) =>
    renderRetryGroups(groups, createPaint(terminal.colours.out), terminal.outColumns);
  if (options.preview) {
    const { value, raw } = await api.retryFailed(runId, { ...wish, preview: true });
    writeData(context, raw, () => shown(value.groups));
    return exitCodes.ok;
  }
  if (!options.yes && canAsk(context)) {
    const { value } = await api.retryFailed(runId, { ...wish, preview: true });
    terminal.note(shown(value.groups));
    const question = `${count(value.users)} failed users are tried again, each from the step that failed. Go?`;
    if (value.users > 0 && !(await isConfirmed(question, context))) {
      terminal.note('not started\n');
      return exitCodes.failure;
    }
  }
  const { value, raw } = await api.retryFailed(runId, wish);
  writeData(context, raw, () => `${value.runId ?? ''}\n`);
  if (!context.json) terminal.note(`${count(value.users)} users: muster campaign watch ${value.runId ?? ''}\n`);
  return exitCodes.ok;
}

function wishOf({ reason, step, country, action, deadlineSeconds }: RetryOptions) {
  return {
    ...(reason && { reasons: reason }),
    ...(step && { steps: step }),
    ...(country && { countries: country }),
    ...(action && { actions: action }),
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
  };
}
