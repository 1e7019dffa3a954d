import { createProblems } from '../../../shared/runtime/configuration/configuration-error.ts';
import { processEnvironment, readEnvironment } from '../../../shared/runtime/configuration/environment.ts';
import {
  keepRunning,
  type PreparedProcess,
  type ProcessDefinition,
  type ProcessHost,
} from '../../../shared/runtime/process/process.ts';
import type { PartCheck } from '../../../shared/runtime/process/readiness.ts';
import { stopService, type Service } from '../../../shared/runtime/process/service.ts';
import type { CommandContext } from '../../frame/command-context.ts';
import { readyConsole } from '../../console/ready-console.ts';
import { exitCodes, type ExitCode } from '../../frame/exit-codes.ts';
import type { Servable } from './servable.ts';
import { UsageError } from '../../frame/usage-error.ts';
import { compositeService } from './composite-service.ts';

export const definitions: Record<Exclude<Servable, 'all'>, () => Promise<ProcessDefinition>> = {
  api: async () => (await import('../../../services/api/main.ts')).apiProcess,
  scheduler: async () => (await import('../../../services/scheduler/main.ts')).schedulerProcess,
  trigger: async () => (await import('../../../services/trigger/main.ts')).triggerProcess,
  worker: async () => (await import('../../../services/worker/main.ts')).workerProcess,
  dispatcher: async () => (await import('../../../services/dispatcher/main.ts')).dispatcherProcess,
  connectors: async () => (await import('../../../services/connectors/main.ts')).connectorsProcess,
  sandbox: async () => (await import('../../../services/sandbox/main.ts')).sandboxProcess,
};

const all = ['api', 'scheduler', 'trigger', 'worker', 'dispatcher'] as const;

export interface ServeOptions {
  /** Runs the sandbox in addition to all services. */
  sandbox: boolean;
  /** Path of the connectors' file; undefined: `CONNECTORS_CONFIG` names it. */
  config: string | undefined;
}

export async function serve(
  name: Servable,
  { sandbox, config }: ServeOptions,
  { environment: given, terminal }: CommandContext,
): Promise<ExitCode> {
  if (sandbox && name !== 'all')
    throw new UsageError('--sandbox belongs to `serve all`; `serve sandbox` runs it alone');
  if (config !== undefined && name !== 'connectors') throw new UsageError('--config belongs to `serve connectors`');
  const environment = config === undefined ? given : { ...given, CONNECTORS_CONFIG: config };
  // The sandbox starts first and therefore stops last, because the other services call it.
  const names = name === 'all' ? [...(sandbox ? (['sandbox'] as const) : []), ...all] : [name];
  const wanted = await Promise.all(names.map((each) => definitions[each]()));
  const prepared = prepareAll(wanted, environment);
  const settings = readEnvironment(processEnvironment, environment);
  const without = names.includes('api') ? await readyConsole() : undefined;
  if (without !== undefined) terminal.note(`no console: ${without}\n`);
  await keepRunning(name === 'all' ? 'muster' : name, settings, (host) => startAll(prepared, host));
  return process.exitCode === undefined ? exitCodes.ok : exitCodes.failure;
}

/** Checks the configuration of every service before starting any. */
function prepareAll(wanted: readonly ProcessDefinition[], environment: NodeJS.ProcessEnv): NamedProcess[] {
  const problems = createProblems();
  const prepared = wanted.flatMap(
    ({ name, prepare }) => problems.of(() => ({ name, ...prepare(environment) }))?.value ?? [],
  );
  if (problems.found) throw problems.toError();
  return prepared;
}

type NamedProcess = PreparedProcess & { name: string };

async function startAll(prepared: readonly NamedProcess[], host: ProcessHost): Promise<Service> {
  const started: Service[] = [];
  try {
    for (const { name, start } of prepared) {
      const addPart = (part: string, check: PartCheck) => host.addPart?.(`${name}.${part}`, check);
      started.push(await start({ ...host, addPart }));
    }
  } catch (error) {
    await stopService(compositeService(started));
    throw error;
  }
  return compositeService(started);
}
