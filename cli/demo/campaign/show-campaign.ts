import { createCampaign, getRunReport, retryFailedUsers, startCampaign } from '../../../sdk/generated/sdk.gen.ts';
import type { CampaignDefinitionInput, RunProgress, RunReport } from '../../../sdk/generated/types.gen.ts';
import { systemClock } from '../../../shared/runtime/system-clock.ts';
import { createApiClient } from '../../api/api-client.ts';
import { createProgressDisplay } from '../../runs/show-progress.ts';
import { awaitRun, exitCodeOf, watchRun } from '../../runs/watch-run.ts';
import { writeData, type CommandContext } from '../../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../../frame/exit-codes.ts';
import { createPaint } from '../../show/paint.ts';
import { renderReport } from '../../runs/report.ts';
import type { DemoInstallation } from '../installation/installation.ts';

export interface WatchedCampaign {
  /** Report of the run; undefined if the demo was ended before. */
  report: RunReport | undefined;
  retryableUsers: number;
  code: ExitCode;
}

export interface Companion {
  /** Receives each progress of the run. */
  onProgress(progress: RunProgress): void;
  /**
   * Call this when the run has ended or is no longer watched. Resolves when the demo's work in the background has
   * ended.
   */
  end(): Promise<void>;
}

/** Creates the campaign over the API, starts it, shows its progress, and prints its report. */
export async function showCampaign(
  { apiUrl, apiKey }: DemoInstallation,
  context: CommandContext,
  definition: CampaignDefinitionInput,
  companion: Companion,
): Promise<WatchedCampaign> {
  const { terminal, signal } = context;
  const client = createApiClient({ baseUrl: apiUrl, apiKey });
  const paint = createPaint(terminal.colours.notes);
  const campaign = (await createCampaign({ client, body: definition })).data;
  await startCampaign({ client, path: { id: campaign.id } });
  terminal.note(`\n  ${paint.strong(campaign.name)} ${paint.faint(`· ${campaign.id}`)}\n\n`);

  const deps = { client, clock: systemClock, signal };
  const runId = await awaitRun(campaign.id, deps);
  const ended = { report: undefined, retryableUsers: 0, code: exitCodes.ok };
  if (runId === undefined) return ended;
  const display = createProgressDisplay(terminal, () => systemClock.monotonicMs());
  const watch = async () => {
    try {
      return await watchRun(runId, deps, (progress) => {
        companion.onProgress(progress);
        display.show(progress);
      });
    } finally {
      display.end();
      await companion.end();
    }
  };
  const last = await watch();
  if (!last || signal.aborted) return ended;

  const path = { id: runId };
  const { data } = await getRunReport({ client, path });
  writeData(context, data, () => `\n${renderReport(data, createPaint(terminal.colours.out))}\n`);
  const failed = data.steps.some((step) => step.failed > 0);
  const retryableUsers = failed ? (await retryFailedUsers({ client, path, body: { preview: true } })).data.users : 0;
  return { report: data, retryableUsers, code: isComplete(data) ? exitCodeOf(data.state) : exitCodes.failure };
}

/** Checks the guarantees of Muster, so that the demo fails if they are broken. */
function isComplete({ balanced, steps }: RunReport): boolean {
  return balanced && steps.every(({ pending, unknown }) => pending === 0 && unknown === 0);
}
