import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { getCampaign } from '../../sdk/generated/sdk.gen.ts';
import type { Campaign } from '../../sdk/generated/types.gen.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { apiOf } from '../frame/command-table.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { oneLine } from '../show/text.ts';
import { UsageError } from '../frame/usage-error.ts';
import { createProgressDisplay } from './show-progress.ts';
import { createDueDisplay } from './watch-due.ts';
import { awaitRun, exitCodeOf, watchRun, type WatchDeps } from './watch-run.ts';

export async function watchCampaign(id: string, context: CommandContext): Promise<ExitCode> {
  const { terminal, signal, json } = context;
  const deps = { client: await apiOf(context, signal), clock: systemClock, signal };
  const runId = id.startsWith('cmp_') ? await runOf(id, deps, context) : id;
  if (runId === undefined) return leave(`${id} is still scheduled`, id, context);
  const display = createProgressDisplay(terminal, () => systemClock.monotonicMs());
  const last = await watchRun(runId, deps, (progress) => {
    if (json) terminal.out(`${JSON.stringify(progress)}\n`);
    else display.show(progress);
  }).finally(() => json || display.end());
  // After Ctrl-C, the result is still displayed if the run has ended meanwhile.
  if (!last || (signal.aborted && last.endedAt === null)) return leave(`${runId} goes on`, runId, context);
  if (!json) {
    const reason = last.stateReason === null ? '' : `: ${oneLine(last.stateReason)}`;
    terminal.out(`${runId} ${last.state}${reason}\n`);
    terminal.note(`report: muster campaign report ${runId}\nfailures: muster campaign failures ${runId}\n`);
  }
  return exitCodeOf(last.state);
}

async function runOf(id: string, deps: WatchDeps, { terminal, json }: CommandContext): Promise<string | undefined> {
  const campaign = await requireStarted(id, deps.client);
  const due = createDueDisplay(campaign, terminal, deps.clock);
  return await awaitRun(id, deps, () => due.show()).finally(() => json || due.end());
}

/** Refuses a campaign that was not started, as its run would never begin. */
async function requireStarted(id: string, client: Client): Promise<Campaign> {
  const { data } = await getCampaign({ client, path: { id } });
  if (data.state === 'draft' || data.state === 'in_review')
    throw new UsageError(`${id} is not started: muster campaign start ${id}`);
  return data;
}

function leave(what: string, id: string, { terminal }: CommandContext): ExitCode {
  terminal.note(`${what}; to watch it again: muster campaign watch ${id}\n`);
  return exitCodes.interrupted;
}
