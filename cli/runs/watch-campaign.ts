import { systemClock } from '../../shared/runtime/system-clock.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { oneLine } from '../show/text.ts';
import { UsageError } from '../frame/usage-error.ts';
import type { Campaign } from '../api/api-answers.ts';
import type { ApiClient } from '../api/api-client.ts';
import { patientApi } from '../campaigns/commands.ts';
import { createProgressDisplay } from './show-progress.ts';
import { createDueDisplay } from './watch-due.ts';
import { awaitRun, exitCodeOf, watchRun, type WatchDeps } from './watch-run.ts';

/** Follows the newest run of a campaign, or a run, until it has ended. */
export async function watchCampaign(id: string, context: CommandContext): Promise<ExitCode> {
  const { terminal, signal, json } = context;
  const deps = { api: patientApi(context, signal), clock: systemClock, signal };
  const runId = id.startsWith('cmp_') ? await runOf(id, deps, context) : id;
  if (runId === undefined) return leave(`${id} is still scheduled`, id, context);
  const display = createProgressDisplay(terminal, () => systemClock.monotonicMs());
  const last = await watchRun(runId, deps, ({ value, raw }) => {
    if (json) terminal.out(`${JSON.stringify(raw)}\n`);
    else display.show(value);
  }).finally(() => json || display.end());
  // What ended in the moment of the Ctrl-C has ended all the same.
  if (!last || (signal.aborted && last.endedAt === null)) return leave(`${runId} goes on`, runId, context);
  if (!json) {
    const reason = last.stateReason === null ? '' : `: ${oneLine(last.stateReason)}`;
    terminal.out(`${runId} ${last.state}${reason}\n`);
    terminal.note(`report: muster campaign report ${runId}\nfailures: muster campaign failures ${runId}\n`);
  }
  return exitCodeOf(last.state);
}

async function runOf(id: string, deps: WatchDeps, { terminal, json }: CommandContext): Promise<string | undefined> {
  const campaign = await requireStarted(id, deps.api);
  const due = createDueDisplay(campaign, terminal, deps.clock);
  return await awaitRun(id, deps, () => due.show()).finally(() => json || due.end());
}

/** Waiting for the run of a campaign that was not started would be waiting for ever. */
async function requireStarted(id: string, api: ApiClient): Promise<Campaign> {
  const { value } = await api.showCampaign(id);
  if (value.state === 'draft') throw new UsageError(`${id} is not started: muster campaign start ${id}`);
  return value;
}

function leave(what: string, id: string, { terminal }: CommandContext): ExitCode {
  terminal.note(`${what}; to watch it again: muster campaign watch ${id}\n`);
  return exitCodes.interrupted;
}
