import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startInfrastructure, type Infrastructure } from '../../../shared/infrastructure/infrastructure.ts';
import { systemClock } from '../../../shared/runtime/system-clock.ts';
import { ensureConsoleBuilt } from '../../../services/console/built-console.ts';
import type { CommandContext } from '../../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../../frame/exit-codes.ts';
import { whenAborted } from '../../frame/when-aborted.ts';
import { count } from '../../show/numbers.ts';
import { createPaint } from '../../show/paint.ts';
import { makeRoom, type DemoRoom } from './demo-room.ts';
import type { CalledServices, CalledServicesPlan } from './called-services.ts';
import { planInstallation, prepareServers, type DemoInstallation } from './installation.ts';
import { createProcesses, type Processes } from './processes.ts';
import { createStages } from './stages.ts';

export interface InstallationSize {
  users: number;
  workers: number;
}

/** Resources that withInstallation ends and removes. Optional fields are undefined until the resource is created. */
interface Begun {
  folder: string;
  processes: Processes;
  infrastructure?: Infrastructure;
  room?: DemoRoom;
  called?: CalledServices;
  /** Settles when the preparation no longer creates resources. */
  preparing?: Promise<unknown>;
}

export interface InstallationTerms<Called extends CalledServices> {
  title: string;
  size: InstallationSize;
  services: CalledServicesPlan<Called>;
}

type Use<Called> = (installation: DemoInstallation, processes: Processes, called: Called) => Promise<ExitCode>;

/** Starts servers, services and the called ones, and removes them after use or Ctrl-C. Logs stay after a failure. */
export async function withInstallation<Called extends CalledServices>(
  terms: InstallationTerms<Called>,
  context: CommandContext,
  use: Use<Called>,
): Promise<ExitCode> {
  const { terminal, signal } = context;
  const folder = await mkdtemp(join(tmpdir(), 'muster-demo-'));
  const note = (line: string) => terminal.note(`  ${line}\n`);
  const begun: Begun = { folder, processes: createProcesses({ folder, clock: systemClock, note }) };
  let keepLogs = true;
  try {
    const code = await Promise.race([carryOut(terms, context, begun, use), whenAborted(signal)]);
    keepLogs = code === exitCodes.failure;
    return code;
  } finally {
    terminal.settle();
    if (signal.aborted) terminal.note('\n  stopping …\n');
    await begun.processes.stop();
    // Waits for the preparation: after Ctrl-C it could otherwise create resources after the removal.
    await begun.preparing?.catch(() => undefined);
    await begun.called?.close();
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

async function carryOut<Called extends CalledServices>(
  terms: InstallationTerms<Called>,
  context: CommandContext,
  begun: Begun,
  use: Use<Called>,
): Promise<ExitCode> {
  const { terminal } = context;
  const { title, size } = terms;
  const paint = createPaint(terminal.colours.notes);
  const facts = `${count(size.users)} users · ${size.workers} ${size.workers === 1 ? 'worker' : 'workers'}`;
  terminal.note(`\n  ${paint.strong(title)} ${paint.faint(`· ${facts}`)}\n\n`);
  const { installation, called } = await getReady(terms, context, begun);
  return await use(installation, begun.processes, called);
}

async function getReady<Called extends CalledServices>(
  { size: { users, workers }, services }: InstallationTerms<Called>,
  { terminal, environment }: CommandContext,
  begun: Begun,
): Promise<{ installation: DemoInstallation; called: Called }> {
  const stages = createStages(terminal, () => systemClock.monotonicMs());
  const infrastructure = await stages.run('Kafka and PostgreSQL', async (report) => {
    const started = await startInfrastructure({ environment, report });
    begun.infrastructure = started;
    return { result: started, outcome: started.description };
  });
  const prepare = async () => {
    const room = await stages.run('schema and topics', async () => {
      const made = await makeRoom(infrastructure, environment);
      begun.room = made;
      // The address is a placeholder: the topics do not depend on the sandbox's address.
      const { migrations, topics } = await prepareServers(made, services.engineConfig('http://127.0.0.1', users));
      const outcome = `${migrations} ${migrations === 1 ? 'migration' : 'migrations'} applied, ${topics} topics`;
      return { result: made, outcome };
    });
    if (room.description !== undefined) terminal.note(`    ${room.description}\n`);
    const called = await services.open({ users, room, folder: begun.folder, stages });
    begun.called = called;
    return { room, called };
  };
  const preparing = prepare();
  begun.preparing = preparing;
  const { room, called } = await preparing;

  // The console must be built before the services start, because the API reads the console's files at its start.
  await stages.run('console', async () => ({ result: undefined, outcome: await builtConsole() }));
  const installation = await stages.run('services', async (report) => {
    const engineConfig = (url: string) => services.engineConfig(url, users);
    const plan = await planInstallation({ workers, room, environment, folder: begun.folder, called, engineConfig });
    await begun.processes.start(plan.specs, report);
    return { result: plan, outcome: plan.specs.map(({ name }) => name).join(', ') };
  });
  return { installation, called };
}

async function builtConsole(): Promise<string> {
  try {
    return await ensureConsoleBuilt();
  } catch (error) {
    return `not built: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function hasLogs(folder: string): Promise<boolean> {
  return (await readdir(folder)).some((file) => file.endsWith('.log'));
}
