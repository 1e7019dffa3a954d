import type { Meter } from '../../shared/ports/meter.ts';
import { createProblems } from '../../shared/runtime/configuration-error.ts';
import { processEnvironment, readEnvironment } from '../../shared/runtime/environment.ts';
import { keepRunning, type PreparedProcess, type ProcessDefinition } from '../../shared/runtime/process.ts';
import { stopService, type Service } from '../../shared/runtime/service.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Servable } from '../servable.ts';
import { compositeService } from './composite-service.ts';

/** Each service's code is loaded when it is wanted. */
const definitions: Record<Exclude<Servable, 'all'>, () => Promise<ProcessDefinition>> = {
  api: async () => (await import('../../services/api/main.ts')).apiProcess,
  scheduler: async () => (await import('../../services/scheduler/main.ts')).schedulerProcess,
  trigger: async () => (await import('../../services/trigger/main.ts')).triggerProcess,
  worker: async () => (await import('../../services/worker/main.ts')).workerProcess,
  sandbox: async () => (await import('../../services/sandbox/main.ts')).sandboxProcess,
};

const all = ['api', 'scheduler', 'trigger', 'worker'] as const;

export async function serve(name: Servable, { environment }: CommandContext): Promise<ExitCode> {
  const names = name === 'all' ? all : [name];
  const wanted = await Promise.all(names.map((each) => definitions[each]()));
  const prepared = prepareAll(wanted, environment);
  const settings = readEnvironment(processEnvironment, environment);
  await keepRunning(name === 'all' ? 'muster' : name, settings, (host) => startAll(prepared, host));
  return process.exitCode === undefined ? exitCodes.ok : exitCodes.failure;
}

/** The configuration of every service is right before any of them starts. */
function prepareAll(wanted: readonly ProcessDefinition[], environment: NodeJS.ProcessEnv): PreparedProcess[] {
  const problems = createProblems();
  const prepared = wanted.flatMap(({ prepare }) => problems.of(() => prepare(environment))?.value ?? []);
  if (problems.found) throw problems.toError();
  return prepared;
}

async function startAll(prepared: readonly PreparedProcess[], host: { meter: Meter }): Promise<Service> {
  const started: Service[] = [];
  try {
    for (const { start } of prepared) started.push(await start(host));
  } catch (error) {
    await stopService(compositeService(started));
    throw error;
  }
  return compositeService(started);
}
