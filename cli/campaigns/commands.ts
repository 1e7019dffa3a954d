import { systemClock } from '../../shared/runtime/system-clock.ts';
import { writeData, type CommandContext } from '../command-context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { createPaint } from '../render/paint.ts';
import { renderReport } from '../render/report.ts';
import { oneLine } from '../render/text.ts';
import { renderTable } from '../render/tables.ts';
import { UsageError } from '../usage-error.ts';
import type { ApiClient, Campaign } from './api-client.ts';
import { readDefinition, type DefinitionOptions } from './definition.ts';
import { apiFrom } from './environment.ts';
import { createProgressDisplay } from './show-progress.ts';
import { awaitRun, exitCodeOf, watchRun } from './watch-run.ts';

export async function createCampaign(options: DefinitionOptions, context: CommandContext): Promise<ExitCode> {
  const definition = await readDefinition(options, context.input);
  const { value, raw } = await apiFrom(context.environment).createCampaign(definition);
  writeData(context, raw, () => `${value.id}\n`);
  return exitCodes.ok;
}

export async function listCampaigns(
  { limit, cursor }: { limit: number; cursor?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { value, raw } = await apiFrom(context.environment).listCampaigns(limit, cursor);
  writeData(context, raw, () => campaignTable(value.items, context));
  if (value.next !== null && !context.json) context.terminal.note(`more: --cursor ${value.next}\n`);
  return exitCodes.ok;
}

export async function showCampaign(id: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await apiFrom(context.environment).showCampaign(id);
  writeData(context, raw, () => campaignTable([value], context));
  return exitCodes.ok;
}

export async function startCampaign(id: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await apiFrom(context.environment).startCampaign(id);
  writeData(context, raw, () => `${value.id} ${value.state}${dueText(value)}\n`);
  return exitCodes.ok;
}

export async function watchCampaign(id: string, context: CommandContext): Promise<ExitCode> {
  const { terminal, signal, json } = context;
  const deps = { api: apiFrom(context.environment), clock: systemClock, signal };
  if (id.startsWith('cmp_')) await requireStarted(id, deps.api);
  const runId = id.startsWith('cmp_') ? await awaitRun(id, deps) : id;
  if (runId === undefined) return exitCodes.failure;
  const display = createProgressDisplay(terminal, () => systemClock.monotonicMs());
  const last = await watchRun(runId, deps, ({ value, raw }) => {
    if (json) terminal.out(`${JSON.stringify(raw)}\n`);
    else display.show(value);
  }).finally(() => json || display.end());
  if (!last || signal.aborted) return exitCodes.failure;
  if (!json)
    terminal.out(`${runId} ${last.state}${last.stateReason === null ? '' : `: ${oneLine(last.stateReason)}`}\n`);
  return exitCodeOf(last.state);
}

export async function reportCampaign(id: string, context: CommandContext): Promise<ExitCode> {
  const api = apiFrom(context.environment);
  const runId = id.startsWith('cmp_') ? await api.latestRun(id) : id;
  if (runId === undefined) throw new UsageError(`${id} has no run yet`);
  const { value, raw } = await api.report(runId);
  writeData(context, raw, () => `\n${renderReport(value, createPaint(context.terminal.colours.out))}\n`);
  return exitCodes.ok;
}

/** Waiting for the run of a campaign that nobody started would be waiting for ever. */
async function requireStarted(id: string, api: ApiClient): Promise<void> {
  const { value } = await api.showCampaign(id);
  if (value.state === 'draft') throw new UsageError(`${id} is not started: muster campaign start ${id}`);
}

function campaignTable(campaigns: readonly Campaign[], { terminal }: CommandContext): string {
  const titles = ['id', 'name', 'state', 'countries', 'due'];
  const rows = campaigns.map(({ id, name, state, countries, nextRunAt }) => [
    id,
    oneLine(name),
    state,
    countries.join(' '),
    nextRunAt ?? '',
  ]);
  return renderTable(
    titles.map((title) => ({ title, align: 'left' })),
    rows,
    createPaint(terminal.colours.out),
  );
}

function dueText({ nextRunAt }: Campaign): string {
  return nextRunAt === null ? '' : `, due ${nextRunAt}`;
}
