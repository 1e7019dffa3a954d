import pLimit from 'p-limit';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { tellNext, writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderCampaign, renderCampaigns, rhythmText, summaryOf } from './render.ts';
import { renderEstimate } from '../audiences/render.ts';
import { createPaint } from '../show/paint.ts';
import { localAndUtc } from '../show/times.ts';
import { oneLine } from '../show/text.ts';
import { ApiRefusal, type Campaign } from '../api/api-answers.ts';
import type { ApiClient, CampaignQuery } from '../api/api-client.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { optionLabel, readDefinition, type DefinitionOptions } from './definition.ts';
import { apiFrom } from '../api/environment.ts';

/** Campaigns of a list whose progress is asked for at the same time. */
const looksAtOnce = 10;

const runsShown = 5;

/** The API of a command that waits while it says 503, and tells that it does. */
export function patientApi({ environment, terminal }: CommandContext, signal?: AbortSignal): ApiClient {
  const onWait = (what: string) => terminal.note(`${oneLine(what)}\n`);
  return apiFrom(environment, { clock: systemClock, onWait, ...(signal ? { signal } : {}) });
}

export async function createCampaign(options: DefinitionOptions, context: CommandContext): Promise<ExitCode> {
  const definition = await readDefinition(options, context.input);
  const { value, raw } = await labelled(options, () => patientApi(context).createCampaign(definition));
  writeData(context, raw, () => `${value.id}\n`);
  showWarnings(value, context);
  if (!context.json) context.terminal.note(`${draftText(value)}: muster campaign start ${value.id}\n`);
  return exitCodes.ok;
}

/** Says of what was given in options by which of them it was refused. */
export async function labelled<Result>(options: DefinitionOptions, ask: () => Promise<Result>): Promise<Result> {
  return await ask().catch((error: unknown) => {
    const isTyped = error instanceof ApiRefusal && options.file === undefined;
    throw isTyped ? new ApiRefusal(error.problem, { ...error.wording, labelOf: optionLabel }) : error;
  });
}

export async function listCampaigns(
  { search, ...query }: Omit<CampaignQuery, 'q'> & { search?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, json } = context;
  const api = patientApi(context);
  const { value, raw } = await api.listCampaigns({ ...query, q: search });
  if (json) {
    writeData(context, raw, () => '');
    return exitCodes.ok;
  }
  const limited = pLimit(looksAtOnce);
  const progress = await Promise.all(value.items.map((campaign) => limited(() => latestProgress(campaign, api))));
  terminal.out(renderCampaigns(value.items, progress, createPaint(terminal.colours.out), terminal.outColumns));
  tellNext(context, value.next);
  return exitCodes.ok;
}

/** Undefined where there is no run, or where it cannot be asked: a list is worth showing without. */
async function latestProgress({ links }: Campaign, api: ApiClient) {
  const runId = links.latestRun?.split('/').at(-1);
  if (runId === undefined) return undefined;
  return await api.progress(runId).then(
    ({ value }) => value,
    () => undefined,
  );
}

export async function showCampaign(id: string, context: CommandContext): Promise<ExitCode> {
  const { terminal, json } = context;
  const api = patientApi(context);
  const { value, raw } = await api.showCampaign(id);
  if (json) {
    writeData(context, raw, () => '');
    return exitCodes.ok;
  }
  const runs = (await api.listRuns(value.id, runsShown)).value.items;
  terminal.out(renderCampaign(value, runs, createPaint(terminal.colours.out)));
  return exitCodes.ok;
}

export async function startCampaign(id: string, { yes }: { yes?: true }, context: CommandContext): Promise<ExitCode> {
  const api = patientApi(context);
  if (!yes && canAsk(context)) {
    const { value } = await api.showCampaign(id);
    const question = `${summaryOf(value)}; ${startText(value)}. Go?`;
    if (value.state === 'draft' && !(await isConfirmed(question, context))) {
      context.terminal.note('not started\n');
      return exitCodes.failure;
    }
  }
  const { value, raw } = await api.startCampaign(id);
  const due = value.nextRunAt === null ? '' : `, due ${localAndUtc(value.nextRunAt, value.schedule?.zone)}`;
  writeData(context, raw, () => `${value.id} ${value.state}${due}\n`);
  showWarnings(value, context);
  return exitCodes.ok;
}

export async function estimateCampaign(id: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await patientApi(context).estimateCampaign(id);
  writeData(context, raw, () => renderEstimate(value, createPaint(context.terminal.colours.out)));
  return exitCodes.ok;
}

export function showWarnings({ warnings }: Pick<Campaign, 'warnings'>, { terminal, json }: CommandContext): void {
  if (!json) for (const { detail } of warnings) terminal.note(`! ${oneLine(detail)}\n`);
}

function draftText({ startsAt, schedule }: Campaign): string {
  const rhythm = rhythmText(schedule);
  if (rhythm !== '') return `a draft; once started it runs ${rhythm}until it is ended. To start it`;
  if (startsAt === null) return 'a draft; to start it now';
  return `a draft; once started it waits until ${localAndUtc(startsAt, schedule?.zone)}`;
}

function startText({ startsAt, schedule }: Campaign): string {
  const rhythm = rhythmText(schedule);
  if (rhythm !== '') return `${rhythm}until it is ended`;
  return startsAt === null ? 'starts at once' : `starts ${localAndUtc(startsAt, schedule?.zone)}`;
}
