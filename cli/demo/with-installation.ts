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
import { createStages } from './stages.ts';

export interface InstallationSize {
  users: number;
  workers: number;
}

/** Resources to end and clean up, as far as they were created. */
interface Begun {
  folder: string;
  processes: Processes;
  infrastructure?: Infrastructure;
  room?: DemoRoom;
  /** Settles when the preparation no longer creates resources. */
  preparing?: Promise<DemoRoom>;
}

type Use = (installation: DemoInstallation, processes: Processes) => Promise<ExitCode>;

/** Starts servers, services and sandbox, and removes them after use or Ctrl-C. Logs stay after a failure. */
export async function withInstallation(
  title: string,
  size: InstallationSize,
  context: CommandContext,
  use: Use,
): Promise<ExitCode> {
  const { terminal, signal } = context;
  const folder = await mkdtemp(join(tmpdir(), 'muster-demo-'));
  const note = (line: string) => terminal.note(`  ${line}\n`);
  const begun: Begun = { folder, processes: createProcesses({ folder, clock: systemClock, note }) };
  let keepLogs = true;
  try {
    const code = await Promise.race([carryOut(title, size, context, begun, use), whenAborted(signal)]);
    keepLogs = code === exitCodes.failure;
    return code;
  } finally {
    terminal.settle();
    if (signal.aborted) terminal.note('\n  stopping …\n');
    await begun.processes.stop();
    // Waits for the preparation: after Ctrl-C it could otherwise create resources after the removal.
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

async function carryOut(
  title: string,
  size: InstallationSize,
  context: CommandContext,
  begun: Begun,
  use: Use,
): Promise<ExitCode> {
  const { terminal } = context;
  const paint = createPaint(terminal.colours.notes);
  const facts = `${count(size.users)} users · ${size.workers} ${size.workers === 1 ? 'worker' : 'workers'}`;
  terminal.note(`\n  ${paint.strong(title)} ${paint.faint(`· ${facts}`)}\n\n`);
  return await use(await getReady(size, context, begun), begun.processes);
}

async function getReady(
  { users, workers }: InstallationSize,
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

  if (room.description !== undefined) terminal.note(`    ${room.description}\n`);
  // The API reads the console when it starts.
  await stages.run('console', async () => ({ result: undefined, outcome: await builtConsole() }));
  return await stages.run('services', async (report) => {
    const plan = await planInstallation({ users, workers, room, environment, folder: begun.folder });
    await begun.processes.start(plan.specs, report);
    return { result: plan, outcome: plan.specs.map(({ name }) => name).join(', ') };
  });
}

async function builtConsole(): Promise<string> {
  try {
    return await ensureConsoleBuilt();
  } catch (error) {
    return `not built: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Ctrl-C is the regular end, so the exit code is ok. */
export function whenAborted(signal: AbortSignal): Promise<ExitCode> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(exitCodes.ok);
    signal.addEventListener('abort', () => resolve(exitCodes.ok), { once: true });
  });
}

async function hasLogs(folder: string): Promise<boolean> {
  return (await readdir(folder)).some((file) => file.endsWith('.log'));
}
