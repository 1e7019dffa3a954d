import { systemClock } from '../../shared/runtime/system-clock.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { whenAborted } from '../frame/when-aborted.ts';
import { createPaint } from '../show/paint.ts';
import { demoCampaign } from './installation/demo-settings.ts';
import { furnish, type Furnished } from './installation/furnish.ts';
import type { DemoInstallation } from './installation/installation.ts';
import type { Processes } from './installation/processes.ts';
import { sandboxServices } from './installation/sandbox-services.ts';
import { showCallbacks } from './campaign/show-callbacks.ts';
import { showCampaign } from './campaign/show-campaign.ts';
import { startTrouble } from './campaign/trouble.ts';
import { describeConsole } from './addresses/console-address.ts';
import { describeServices } from './addresses/service-addresses.ts';
import { withInstallation, type InstallationSize } from './installation/with-installation.ts';

export interface DemoOptions extends InstallationSize {
  chaos: boolean;
  exit: boolean;
}

/** Starts everything, runs one campaign with live progress, and keeps serving until Ctrl-C. */
export async function runDemo(options: DemoOptions, context: CommandContext): Promise<ExitCode> {
  const terms = { title: 'Muster demo', size: options, services: sandboxServices };
  return await withInstallation(terms, context, (installation, processes) =>
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
  terminal.note(`\n${await describeConsole(installation, paint)}`);
  const companion = startTrouble({
    sandboxUrl: installation.calledUrl,
    victims: options.chaos ? installation.workerNames : [],
    kill: (name) => processes.kill(name),
    areReady: () => processes.areReady(),
    clock: systemClock,
    say: (line) => terminal.note(`  ${paint.bad('▲')} ${line}\n`),
  });
  const { report, retryableUsers, code } = await showCampaign(installation, context, demoCampaign, companion);
  if (report === undefined || signal.aborted) return code;
  const say = (text: string) => terminal.note(text);
  const isWell = await showCallbacks(installation, { paint, say, clock: systemClock, signal });
  if (!isWell) return exitCodes.failure;
  if (context.signal.aborted) return code;
  const furnished = await furnishOr(installation, (why) => terminal.note(`  ${why}\n\n`));
  if (options.exit) return furnished === undefined ? exitCodes.failure : code;
  terminal.note(describeServices(installation, { runId: report.runId, retryableUsers }, paint));
  terminal.note(await describeConsole(installation, paint, { approverLink: furnished?.approverLink }));
  await whenAborted(signal);
  return code;
}

/** Creates the additional content. The demo continues after a failure, because its campaign has already ended. */
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
