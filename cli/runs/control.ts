import type { z } from 'zod';
import type { controlledRun, CancelPreviewShape, RunChanges } from '../../shared/contracts/runs/runs.ts';
import type { ControlVerb } from '../../shared/domain/run/run-control.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderRunEvents, settingsLine } from './render-control.ts';
import { count, duration } from '../show/numbers.ts';
import { createPaint } from '../show/paint.ts';
import { oneLine } from '../show/text.ts';
import { UsageError } from '../frame/usage-error.ts';
import type { ApiClient } from '../api/api-client.ts';
import { patientApi } from '../campaigns/commands.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { runOf } from './run-of.ts';

export interface VerbOptions {
  reason?: string;
  yes?: true;
}

type Controlled = z.infer<typeof controlledRun>;

/** Pauses, resumes or cancels a run, or the newest one of a campaign. A campaign that is only scheduled is taken back instead of cancelled. */
export async function controlRun(
  verb: ControlVerb,
  id: string,
  { reason, yes }: VerbOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const api = patientApi(context);
  if (verb === 'cancel' && (await isOnlyScheduled(id, api))) return takeBack(id, api, context);
  const runId = await runOf(id, api);
  if (verb === 'cancel' && !yes && canAsk(context) && !(await mayCancel(runId, api, context))) {
    context.terminal.note('not cancelled\n');
    return exitCodes.failure;
  }
  const { value, raw } = await api.controlRun(runId, verb, reason);
  writeData(context, raw, () => `${controlledText(verb, value)}\n`);
  return exitCodes.ok;
}

async function isOnlyScheduled(id: string, api: ApiClient): Promise<boolean> {
  return id.startsWith('cmp_') && (await api.showCampaign(id)).value.state === 'scheduled';
}

async function takeBack(id: string, api: ApiClient, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await api.unscheduleCampaign(id);
  writeData(context, raw, () => `${value.id} is a draft again; nothing had begun\n`);
  return exitCodes.ok;
}

async function mayCancel(runId: string, api: ApiClient, context: CommandContext): Promise<boolean> {
  const { value } = await api.cancelPreview(runId);
  if (value.countries.length > 1) context.terminal.note(`${value.countries.map(countryText).join('\n')}\n`);
  return isConfirmed(`${previewText(value)}. There is no way back. Cancel ${runId}?`, context);
}

function previewText(preview: CancelPreviewShape): string {
  const { notFedUsers, notStartedUsers, halfWayUsers, finishingUsers, endedUsers, inFlight, timeToStopMs } = preview;
  const unfed = notFedUsers === null ? ', and those who are not paged yet' : '';
  const notStarted = notStartedUsers + (notFedUsers ?? 0);
  const parts = [
    `${usersText(notStarted)} not begun get nothing${unfed}`,
    `${usersText(halfWayUsers)} under way stop after their present step`,
    `${usersText(finishingUsers)} finish`,
    `${usersText(endedUsers)} have ended`,
  ];
  const { batches } = inFlight;
  if (batches > 0) {
    const calls = batches === 1 ? '1 call is' : `${count(batches)} calls are`;
    parts.push(`${calls} under way, the last one ends within ${Math.ceil(timeToStopMs / 1000)} s`);
  }
  return parts.join('; ');
}

/** `VN: 400 not begun, 100 half-way, 20 in flight` */
function countryText({ country, steps }: CancelPreviewShape['countries'][number]): string {
  const sum = (of: 'notStartedUsers' | 'halfWayUsers' | 'inFlightUsers') =>
    count(steps.reduce((users, step) => users + step[of], 0));
  const waiting = `${sum('notStartedUsers')} not begun, ${sum('halfWayUsers')} half-way`;
  return `  ${oneLine(country)}: ${waiting}, ${sum('inFlightUsers')} in flight`;
}

function usersText(users: number): string {
  return users === 1 ? '1 user' : `${count(users)} users`;
}

/** `run_1 pausing; 12 calls were under way (1,200 users), they end within 12 s` */
export function controlledText(verb: ControlVerb, { run, inFlight, timeToStopMs }: Controlled): string {
  const { runId, state } = run;
  if (verb === 'resume') return `${runId} ${state}`;
  if (inFlight.batches === 0) return `${runId} ${state}; nothing was under way`;
  const calls = inFlight.batches === 1 ? '1 call was' : `${count(inFlight.batches)} calls were`;
  const end = inFlight.batches === 1 ? 'it ends' : 'they end';
  return `${runId} ${state}; ${calls} under way (${usersText(inFlight.users)}), ${end} within ${duration(timeToStopMs / 1000)}`;
}

export interface SetOptions {
  deadlineSeconds?: number;
  deadlineAt?: string;
  priority?: string;
  pace?: string;
  pauseAtFailed?: string;
  pauseAtFailedMinUsers?: number;
}

/** Changes a run while it goes on. What is right is for the API to say. */
export async function setRun(id: string, options: SetOptions, context: CommandContext): Promise<ExitCode> {
  const changes = changesOf(options);
  if (Object.keys(changes).length === 0) throw new UsageError('say what to change: --help shows what there is');
  const api = patientApi(context);
  const { value, raw } = await api.changeRun(await runOf(id, api), changes);
  writeData(context, raw, () => `${value.run.runId} ${value.run.state}; ${settingsLine(value.run)}\n`);
  return exitCodes.ok;
}

function changesOf(options: SetOptions): Partial<Record<keyof RunChanges, unknown>> {
  const { deadlineSeconds, deadlineAt, priority, pace, pauseAtFailed, pauseAtFailedMinUsers } = options;
  return {
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    ...(deadlineAt !== undefined && { deadlineAt }),
    ...(priority !== undefined && { priority }),
    ...(pace !== undefined && { paceUsersPerSecond: numberOrNone('--pace', pace) }),
    ...(pauseAtFailed !== undefined && { pauseAtFailedPercent: numberOrNone('--pause-at-failed', pauseAtFailed) }),
    ...(pauseAtFailedMinUsers !== undefined && { pauseAtFailedMinUsers }),
  };
}

function numberOrNone(option: string, text: string): number | null {
  if (text === 'none') return null;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(number)) throw new UsageError(`${option} has to be a number, or none to take the limit away`);
  return number;
}

export async function listRunEvents(
  id: string,
  { limit }: { limit: number },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, json } = context;
  const api = patientApi(context);
  const { value, raw } = await api.runEvents(await runOf(id, api), limit);
  writeData(context, raw, () => renderRunEvents(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  if (value.next !== null && !json) terminal.note(`more: --limit ${Math.min(limit * 10, 1000)}\n`);
  return exitCodes.ok;
}
