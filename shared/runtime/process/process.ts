import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { v7 as uuidv7 } from 'uuid';
import type { Meter } from '../../ports/meter.ts';
import type { Tracing } from '../../ports/tracing.ts';
import { ConfigurationError, createProblems } from '../configuration/configuration-error.ts';
import { processEnvironment, readEnvironment, type ProcessSettings } from '../configuration/environment.ts';
import { tracingSettingsOf } from '../configuration/tracing-settings.ts';
import { exportBuild } from './build-info.ts';
import { serveHealth } from './health.ts';
import { createLogger, logFormatOf, type Logger } from '../logger.ts';
import { stuckLoops } from '../loop.ts';
import { watchEventLoop } from '../meter/event-loop-delay.ts';
import { createPrometheusMeter } from '../meter/prometheus-meter.ts';
import { systemClock } from '../system-clock.ts';
import { startTracing } from '../tracing/start-tracing.ts';
import { logWarnings } from './log-warnings.ts';
import { readinessOf, type PartCheck } from './readiness.ts';
import { runUntilSignal, type Service } from './service.ts';
import { StartRefusedError } from './start-refused.ts';
import { packageVersion } from '../version.ts';

/** What a service gets from the process that it runs in. */
export interface ProcessContext {
  logger: Logger;
  meter: Meter;
  /** Null where tracing is off. */
  tracing: Tracing | null;
  /** Tells this process apart from all others, those before it included: `worker@host/uuid`. */
  owner: string;
  /** What the configuration was read from. */
  environment: NodeJS.ProcessEnv;
  /** Adds what this service needs to do its work to what `/readyz` tells. */
  addPart: (name: string, check: PartCheck) => void;
  /**
   * Keeps a resource and how to close it. Closed once, after the service, the last kept first; also when the start
   * fails.
   */
  onClose: <Resource>(resource: Resource, close: (resource: Resource) => unknown) => Resource;
}

/** What a process gives to each service that runs in it. */
export interface ProcessHost {
  meter: Meter;
  /** Absent where tracing is off. */
  tracing?: Tracing | undefined;
  /** Takes the parts of the service for `/readyz`, also while it starts. Absent in a process without `/readyz`. */
  addPart?: (name: string, check: PartCheck) => void;
}

/** A service whose configuration was read and is right. */
export interface PreparedProcess<Running extends Service = Service> {
  readonly settings: ProcessSettings;
  /** Starts the service. Its `close` closes everything that it opened, once, however often it is called. */
  start: (host: ProcessHost) => Promise<Running>;
}

/** A service as a process: the same whether it runs alone or with others. */
export interface ProcessDefinition<Running extends Service = Service> {
  readonly name: string;
  /**
   * Reads and checks all configuration and starts nothing.
   * @throws {ConfigurationError} with every problem
   */
  prepare: (environment: NodeJS.ProcessEnv) => PreparedProcess<Running>;
}

export function defineProcess<Config, Running extends Service>(
  name: string,
  readConfig: (environment: NodeJS.ProcessEnv) => Config,
  start: (config: Config, context: ProcessContext) => Promise<Running>,
): ProcessDefinition<Running> {
  return {
    name,
    prepare: (environment) => {
      const problems = createProblems();
      const settings = problems.of(() => readEnvironment(processEnvironment, environment))?.value;
      const config = problems.of(() => readConfig(environment));
      if (settings === undefined || config === undefined) throw problems.toError();
      return {
        settings,
        start: ({ meter, tracing = null, addPart = () => undefined }) => {
          const logger = createLogger(name, settings.LOG_LEVEL, logFormatOf(settings.LOG_FORMAT));
          const owner = `${name}@${hostname()}/${uuidv7()}`;
          addPart('loop', () => requireTurningLoops(logger));
          return startClosing(logger, (onClose) =>
            start(config.value, { logger, meter, tracing, owner, environment, addPart, onClose }),
          );
        },
      };
    },
  };
}

/** Starts a service and makes its `close` close what it kept. */
async function startClosing<Running extends Service>(
  logger: Logger,
  start: (onClose: ProcessContext['onClose']) => Promise<Running>,
): Promise<Running> {
  const closers: (() => unknown)[] = [];
  const closeKept = async () => {
    for (const close of closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        logger.warn({ err: error }, 'could not close everything');
      }
    }
  };
  try {
    const running = await start((resource, close) => {
      closers.push(() => close(resource));
      return resource;
    });
    let closing: Promise<void> | undefined;
    const closeAll = async () => {
      try {
        await running.close();
      } finally {
        await closeKept();
      }
    };
    return { ...running, close: () => (closing ??= closeAll()) };
  } catch (error) {
    await closeKept();
    throw error;
  }
}

/** A loop that is behind by this has failed again and again, or hangs. */
const stuckAfterMs = 30_000;

function requireTurningLoops(logger: Logger): void {
  const stuck = stuckLoops(logger, stuckAfterMs);
  if (stuck.length > 0) throw new Error(stuck.join('; '));
}

/** The main of a service: starts it, serves its health, and ends the process when a signal asks for it. */
export async function runProcess(definition: ProcessDefinition): Promise<void> {
  await endProcess(async () => {
    const { settings, start } = definition.prepare(process.env);
    await keepRunning(definition.name, settings, start);
  });
}

/**
 * Starts what `start` starts, beside its health and metrics, and resolves when a signal, or its own breaking, has ended
 * it.
 */
export async function keepRunning(
  name: string,
  settings: ProcessSettings,
  start: (host: ProcessHost) => Promise<Service>,
): Promise<void> {
  const { LOG_LEVEL, LOG_FORMAT, STOP_DEADLINE_MS, HEALTH_PORT, HEALTH_HOST } = settings;
  const logger = createLogger(name, LOG_LEVEL, logFormatOf(LOG_FORMAT));
  logWarnings(logger, process);
  const meter = createPrometheusMeter({ logger });
  watchEventLoop(meter);
  exportBuild(meter, name);
  const tracing = await startTracing(tracingSettingsOf(settings, identityOf(name)), {
    clock: systemClock,
    logger,
    meter,
    stopWithinMs: Math.min(flushTracesMs, STOP_DEADLINE_MS / 5),
  });
  let service: Service | undefined;
  const parts: Record<string, PartCheck> = {};
  const addPart = (part: string, check: PartCheck) => void (parts[part] = check);
  const readiness = () =>
    readinessOf({
      service: () => {
        if (!service) throw new Error('is starting');
        if (!service.ready()) throw new Error('takes no work');
      },
      ...parts,
    });
  // Before the service: while it starts, it lives and is not ready.
  const health =
    HEALTH_PORT === undefined
      ? undefined
      : await serveHealth({ port: HEALTH_PORT, host: HEALTH_HOST, readiness, meter });
  try {
    const running = await start({ meter, tracing: tracing ?? undefined, addPart });
    service = running;
    logger.info('service is running');
    // Last, and within the deadline: what was done while it stopped has spans too.
    const close = async () => {
      await running.close();
      await tracing?.stop();
    };
    await runUntilSignal({ ...running, close }, { logger, stopDeadlineMs: STOP_DEADLINE_MS });
  } finally {
    health?.close();
  }
}

/** What the last spans may take when a process stops. */
const flushTracesMs = 3000;

function identityOf(name: string): Parameters<typeof tracingSettingsOf>[1] {
  const ofProcess = name === 'muster' ? name : `muster-${name}`;
  return { name: ofProcess, version: packageVersion, instance: `${hostname()}/${process.pid}` };
}

/** A configuration error is one line for each problem and exit code 2, anything else a stack and exit code 1. */
async function endProcess(run: () => Promise<void>): Promise<never> {
  try {
    await run();
    process.exit();
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof StartRefusedError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(error instanceof ConfigurationError ? 2 : 1);
    }
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  }
}

/** True when this module is the file that node was started with. */
export function isEntry(module: ImportMeta): boolean {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === module.filename;
}
