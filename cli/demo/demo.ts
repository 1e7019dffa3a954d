import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startInfrastructure, type Infrastructure } from '../../shared/infrastructure/infrastructure.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { ensureConsoleBuilt } from '../../services/console/built-console.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { count } from '../show/numbers.ts';
import { createPaint } from '../show/paint.ts';
import { makeRoom, type DemoRoom } from './demo-room.ts';
import { planInstallation, prepareServers, type DemoInstallation } from './installation.ts';
import { createProcesses, type Processes } from './processes.ts';
import { showCallbacks } from './show-callbacks.ts';
import { showCampaign } from './show-campaign.ts';
import { createStages } from './stages.ts';
import { startTrouble } from './trouble.ts';
import { whereTheConsoleIs } from './where-the-console-is.ts';
import { whereItServes } from './where-it-serves.ts';

export interface DemoOptions {
  users: number;
  workers: number;
  /** Kills workers while the campaign runs. */
  chaos: boolean;
  exit: boolean;
}

/** What has to be ended and cleaned up, as far as it has come to be. */
interface Begun {
  folder: string;
  processes: Processes;
  infrastructure?: Infrastructure;
  room?: DemoRoom;
  /** Settled when nothing more is made in the room. */
  preparing?: Promise<DemoRoom>;
}

/** Starts everything, carries out one campaign before your eyes, and keeps serving until Ctrl-C. */
export async function runDemo(options: DemoOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, signal } = context;
  const folder = await mkdtemp(join(tmpdir(), 'muster-demo-'));
  const note = (line: string) => terminal.note(`  ${line}\n`);
  const begun: Begun = { folder, processes: createProcesses({ folder, clock: systemClock, note }) };
  let keepLogs = true;
  try {
    const code = await Promise.race([carryOut(options, context, begun), whenAborted(signal)]);
    keepLogs = code === exitCodes.failure;
    return code;
  } finally {
    terminal.settle();
    if (signal.aborted) terminal.note('\n  stopping …\n');
    await begun.processes.stop();
    // What is under way when Ctrl-C comes would otherwise be made after it was removed.
    await begun.preparing?.catch(() => undefined);
    await begun.room?.remove().catch((error: unknown) => {
      note(
        `could not remove ${begun.room?.topicPrefix ?? ''}: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
    await begun.infrastructure?.stop();
    if (keepLogs && (await hasLogs(folder))) note(`the logs of the services: ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

async function carryOut(options: DemoOptions, context: CommandContext, begun: Begun): Promise<ExitCode> {
  const { terminal, signal } = context;
  const paint = createPaint(terminal.colours.notes);
  const facts = `${count(options.users)} users · ${options.workers} ${options.workers === 1 ? 'worker' : 'workers'}`;
  terminal.note(`\n  ${paint.strong('Muster demo')} ${paint.faint(`· ${facts}`)}\n\n`);
  const installation = await getReady(options, context, begun);
  terminal.note(`\n${await whereTheConsoleIs(installation, paint)}`);
  const companion = startTrouble({
    sandboxUrl: installation.sandboxUrl,
    victims: options.chaos ? installation.workerNames : [],
    kill: (name) => begun.processes.kill(name),
    clock: systemClock,
    say: (line) => terminal.note(`  ${paint.bad('▲')} ${line}\n`),
  });
  const { runId, retryableUsers, code } = await showCampaign(installation, context, companion);
  if (runId === undefined || signal.aborted) return code;
  const say = (text: string) => terminal.note(text);
  const isWell = await showCallbacks(installation, { paint, say, clock: systemClock, signal });
  if (!isWell) return exitCodes.failure;
  if (options.exit) return code;
  terminal.note(whereItServes(installation, { runId, retryableUsers }, paint));
  terminal.note(await whereTheConsoleIs(installation, paint));
  await whenAborted(signal);
  return code;
}

async function getReady(
  { users, workers }: DemoOptions,
  { terminal, environment }: CommandContext,
  begun: Begun,
): Promise<DemoInstallation> {
  const stages = createStages(terminal, () => systemClock.monotonicMs());
  const infrastructure = await stages.run('Kafka and PostgreSQL', async (report) => {
    const started = await startInfrastructure({ environment, report });
    begun.infrastructure = started;
    return { result: started, outcome: started.description };
  });
  begun.preparing = stages.run('schema and topics', async () => {
    const made = await makeRoom(infrastructure, environment);
    begun.room = made;
    const { migrations, topics } = await prepareServers(made);
    return {
      result: made,
      outcome: `${migrations} ${migrations === 1 ? 'migration' : 'migrations'} applied, ${topics} topics`,
    };
  });
  const room = await begun.preparing;

  if (room.notice !== undefined) terminal.note(`    ${room.notice}\n`);
  // The API reads it when it starts.
  await stages.run('console', async () => ({ result: undefined, outcome: await builtConsole() }));
  return await stages.run('services', async () => {
    const plan = await planInstallation({ users, workers, room, environment, folder: begun.folder });
    await begun.processes.start(plan.specs);
    return { result: plan, outcome: plan.specs.map(({ name }) => name).join(', ') };
  });
}

/** Without it everything else goes on as well. */
async function builtConsole(): Promise<string> {
  try {
    return await ensureConsoleBuilt();
  } catch (error) {
    return `not built: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A demo that was asked to end has done what it was asked for. */
function whenAborted(signal: AbortSignal): Promise<ExitCode> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(exitCodes.ok);
    signal.addEventListener('abort', () => resolve(exitCodes.ok), { once: true });
  });
}

async function hasLogs(folder: string): Promise<boolean> {
  return (await readdir(folder)).some((file) => file.endsWith('.log'));
}
