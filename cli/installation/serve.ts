import { z } from 'zod';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/environment.ts';
import { serveHealth } from '../../shared/runtime/health.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { runUntilSignal, stopService, type Service } from '../../shared/runtime/service.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Servable } from '../servable.ts';
import { compositeService } from './composite-service.ts';

type Start = (environment: NodeJS.ProcessEnv) => Promise<Service>;

/** Each service's code is loaded when it is wanted. */
const starts: Record<Exclude<Servable, 'all'>, () => Promise<Start>> = {
  api: async () => (await import('../../services/api/main.ts')).startApi,
  scheduler: async () => (await import('../../services/scheduler/main.ts')).startScheduler,
  trigger: async () => (await import('../../services/trigger/main.ts')).startTrigger,
  worker: async () => (await import('../../services/worker/main.ts')).startWorker,
  sandbox: async () => (await import('../../services/sandbox/main.ts')).startSandbox,
};

const all = ['api', 'scheduler', 'trigger', 'worker'] as const;

const serveEnvironment = commonEnvironment.pick({ LOG_LEVEL: true, STOP_DEADLINE_MS: true }).extend({
  HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  HEALTH_HOST: z.string().default('127.0.0.1'),
});

export async function serve(name: Servable, { environment }: CommandContext): Promise<ExitCode> {
  const settings = readEnvironment(serveEnvironment, environment);
  const service = name === 'all' ? await startAll(environment, settings) : await (await starts[name]())(environment);
  const logger = createLogger(name === 'all' ? 'muster' : name, settings.LOG_LEVEL);
  await runUntilSignal(service, { logger, stopDeadlineMs: settings.STOP_DEADLINE_MS });
  return process.exitCode === undefined ? exitCodes.ok : exitCodes.failure;
}

async function startAll(
  environment: NodeJS.ProcessEnv,
  { HEALTH_PORT, HEALTH_HOST }: z.infer<typeof serveEnvironment>,
): Promise<Service> {
  // One port for the health of all of them: they would take it from each other.
  const { HEALTH_PORT: _healthPort, ...rest } = environment;
  const started: Service[] = [];
  try {
    for (const name of all) started.push(await (await starts[name]())(rest));
  } catch (error) {
    await stopService(compositeService(started));
    throw error;
  }
  const service = compositeService(started);
  if (HEALTH_PORT === undefined) return service;
  const health = await serveHealth(HEALTH_PORT, HEALTH_HOST, () => service.ready());
  return {
    ...service,
    close: async () => {
      health.close();
      await service.close();
    },
  };
}
