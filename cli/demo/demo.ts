import { systemClock } from '../../shared/runtime/system-clock.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { createPaint } from '../show/paint.ts';
import { furnish, type Furnished } from './furnish.ts';
import type { DemoInstallation } from './installation.ts';
import type { Processes } from './processes.ts';
import { showCallbacks } from './show-callbacks.ts';
import { showCampaign } from './show-campaign.ts';
import { startTrouble } from './trouble.ts';
import { whereTheConsoleIs } from './where-the-console-is.ts';
import { whereItServes } from './where-it-serves.ts';
import { whenAborted, withInstallation, type InstallationSize } from './with-installation.ts';

export interface DemoOptions extends InstallationSize {
  chaos: boolean;
  exit: boolean;
}

/** Starts everything, runs one campaign with live progress, and keeps serving until Ctrl-C. */
export async function runDemo(options: DemoOptions, context: CommandContext): Promise<ExitCode> {
  return await withInstallation('Muster demo', options, context, (installation, processes) =>
    show(options, context, installation, processes),
  );
}

async function show(
  options: DemoOptions,
  context: CommandContext,
  installation: DemoInstallation,
  processes: Processes,
): Promise<ExitCode> {
  const { terminal, signal } = context;
  const paint = createPaint(terminal.colours.notes);
  terminal.note(`\n${await whereTheConsoleIs(installation, paint)}`);
  const companion = startTrouble({
    sandboxUrl: installation.sandboxUrl,
    victims: options.chaos ? installation.workerNames : [],
    kill: (name) => processes.kill(name),
    clock: systemClock,
    say: (line) => terminal.note(`  ${paint.bad('▲')} ${line}\n`),
  });
  const { runId, retryableUsers, code } = await showCampaign(installation, context, companion);
  if (runId === undefined || signal.aborted) return code;
  const say = (text: string) => terminal.note(text);
  const isWell = await showCallbacks(installation, { paint, say, clock: systemClock, signal });
  if (!isWell) return exitCodes.failure;
  if (context.signal.aborted) return code;
  const furnished = await furnishOr(installation, (why) => terminal.note(`  ${why}\n\n`));
  if (options.exit) return furnished === undefined ? exitCodes.failure : code;
  terminal.note(whereItServes(installation, { runId, retryableUsers }, paint));
  terminal.note(await whereTheConsoleIs(installation, paint, { approverLink: furnished?.approverLink }));
  await whenAborted(signal);
  return code;
}

/** Creates the additional content. A failure does not end the demo, as its campaign is done. */
async function furnishOr(installation: DemoInstallation, say: (words: string) => void): Promise<Furnished | undefined> {
  try {
    const furnished = await furnish(installation);
    say('beside it: a template, drafts, a campaign that recurs, schedules, jobs, rules and two people');
    return furnished;
  } catch (error) {
    say(`could not make the things beside it: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
