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
import { setV8Flags } from './v8-flags.ts';
import { packageVersion } from '../version.ts';

/** Resources that a process offers to its service. */
export interface ProcessContext {
  logger: Logger;
  meter: Meter;
  /** Tracing of the process; null if tracing is off. */
  tracing: Tracing | null;
  /** Unique id of this process, also among earlier processes: `worker@host/uuid`. */
  owner: string;
  environment: NodeJS.ProcessEnv;
  /** Adds a part of this service to `/readyz`. */
  addPart: (name: string, check: PartCheck) => void;
  /** Registers a resource to close: once, after the service, in reverse order; also if the start fails. */
  onClose: <Resource>(resource: Resource, close: (resource: Resource) => unknown) => Resource;
}

export interface ProcessHost {
  meter: Meter;
  /** Tracing of the process; undefined if tracing is off. */
  tracing?: Tracing | undefined;
  /** Adds a part of the service to `/readyz`, also during its start. Undefined in a process without `/readyz`. */
  addPart?: (name: string, check: PartCheck) => void;
}

/** A service whose configuration was read and is valid. */
export interface PreparedProcess<Running extends Service = Service> {
  readonly settings: ProcessSettings;
  /** Starts the service. Its `close` closes everything that it opened, once, however often it is called. */
  start: (host: ProcessHost) => Promise<Running>;
}

export interface ProcessDefinition<Running extends Service = Service> {
  readonly name: string;
  /** Reads and checks all configuration, and starts nothing. @throws {ConfigurationError} with every problem */
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

/** Starts a service whose `close` also closes its registered resources. */
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

/** A loop that is overdue by this time fails repeatedly, or hangs. */
const stuckAfterMs = 30_000;

function requireTurningLoops(logger: Logger): void {
  const stuck = stuckLoops(logger, stuckAfterMs);
  if (stuck.length > 0) throw new Error(stuck.join('; '));
}

/** Main function of a service: starts it, serves its health, and ends the process on a signal. */
export async function runProcess(definition: ProcessDefinition): Promise<void> {
  await endProcess(async () => {
    const { settings, start } = definition.prepare(process.env);
    await keepRunning(definition.name, settings, start);
  });
}

/** Runs a service, its health and its metrics. Resolves when a signal or a failure of the service has ended it. */
export async function keepRunning(
  name: string,
  settings: ProcessSettings,
  start: (host: ProcessHost) => Promise<Service>,
): Promise<void> {
  const { LOG_LEVEL, LOG_FORMAT, STOP_DEADLINE_MS, HEALTH_PORT, HEALTH_HOST } = settings;
  setV8Flags();
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
  // Health is served before the service starts: the process is alive, and not ready.
  const health =
    HEALTH_PORT === undefined
      ? undefined
      : await serveHealth({ port: HEALTH_PORT, host: HEALTH_HOST, readiness, meter });
  try {
    const running = await start({ meter, tracing: tracing ?? undefined, addPart });
    service = running;
    logger.info('service is running');
    // Tracing stops last, within the deadline: work done while stopping has spans too.
    const close = async () => {
      await running.close();
      await tracing?.stop();
    };
    await runUntilSignal({ ...running, close }, { logger, stopDeadlineMs: STOP_DEADLINE_MS });
  } finally {
    health?.close();
  }
}

/** Maximum time for sending the last spans when a process stops. */
const flushTracesMs = 3000;

function identityOf(name: string): Parameters<typeof tracingSettingsOf>[1] {
  const ofProcess = name === 'muster' ? name : `muster-${name}`;
  return { name: ofProcess, version: packageVersion, instance: `${hostname()}/${process.pid}` };
}

/** Ends the process. Configuration errors print a line for each problem, exit code 2; others a stack, code 1. */
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

/** Returns true if node was started with this module. */
export function isEntry(module: ImportMeta): boolean {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === module.filename;
}
