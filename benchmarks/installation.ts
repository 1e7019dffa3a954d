import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withDescendants } from './cpu.ts';
import { createMusterApi, type MusterApi } from './muster-api.ts';
import { createDatabase } from './own-database.ts';
import { findFreePorts } from '../shared/infrastructure/free-ports.ts';
import { createServiceGroup, type ServiceGroup } from './service-group.ts';
import { temporaryFolder } from './temporary-folder.ts';
import type { LocalInfrastructure } from '../shared/infrastructure/local.ts';
import type { ServiceProcess } from '../shared/infrastructure/service-process.ts';

export const ownRoot = join(import.meta.dirname, '..');

const commandAttempts = 5;

/** The settings of an action type in the engine's configuration file that benchmarks use. */
export interface ActionType {
  url: string;
  answerForm: 'full' | 'compact';
  /** Concurrent calls of one worker for this action type. */
  concurrency: number;
  timeoutMs?: number;
}

export interface InstallationOptions {
  infrastructure: LocalInfrastructure;
  /** Folder of the engine's source: this source tree by default, or another commit's. */
  root?: string;
  countries: readonly string[];
  segmentationUrl: string;
  actionTypes: Readonly<Record<string, ActionType>>;
  partitionsPerShard: number;
  /**
   * Services to start. `campaigns`, the default, starts those that campaigns need; `whole` adds a dispatcher;
   * `one-process` starts all services in one process.
   */
  extent?: 'campaigns' | 'whole' | 'one-process';
  /** One entry per worker to start: its concurrent calls over all action types. */
  workerSlots: readonly number[];
}

/**
 * A whole Muster with a database and topics of its own. Each service is a process, and benchmarks use only its public
 * interfaces.
 */
export interface Installation {
  readonly api: MusterApi;
  readonly url: string;
  /** API key of an operator. */
  readonly apiKey: string;
  readonly databaseUrl: string;
  readonly topicPrefix: string;
  readonly workers: ReadonlySet<ServiceProcess>;
  readonly services: Pick<ServiceGroup, 'start' | 'end' | 'processes' | 'pids' | 'requireRunning'>;
  /** Environment of the API process. */
  readonly apiEnvironment: NodeJS.ProcessEnv;
  /** Resolves when the worker reports that it is ready. */
  startWorker(slots: number): Promise<ServiceProcess>;
  /** Stops the worker after it has finished the work in progress. */
  endWorker(worker: ServiceProcess): Promise<void>;
  /** Stops all processes at once and removes the database. */
  stop(): Promise<void>;
}

/** Database, topic prefix, configuration file and services of an installation, before any service is started. */
export interface OpenedInstallation {
  readonly databaseUrl: string;
  readonly topicPrefix: string;
  /** Environment variables for each service. */
  readonly environment: Readonly<Record<string, string>>;
  readonly services: ServiceGroup;
  /** Kills all processes and removes the database. */
  readonly stop: () => Promise<void>;
}

/** @param config content of the engine's configuration file */
export async function openInstallation(
  { brokers, databaseUrl }: Pick<LocalInfrastructure, 'brokers' | 'databaseUrl'>,
  config: object,
  root: string,
): Promise<OpenedInstallation> {
  const folder = temporaryFolder('muster-bench');
  const database = await createDatabase(databaseUrl);
  const environment = {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: brokers.join(','),
    MUSTER_CONFIG: join(folder.path, 'engine.json'),
    MUSTER_TOPIC_PREFIX: `bench-${randomBytes(4).toString('hex')}`,
    LOG_LEVEL: 'error',
  };
  writeFileSync(environment.MUSTER_CONFIG, JSON.stringify({ ...config, replicationFactor: 1 }));
  const services = createServiceGroup({ root, environment, folder: folder.path });
  return {
    databaseUrl: database.url,
    topicPrefix: environment.MUSTER_TOPIC_PREFIX,
    environment,
    services,
    stop: async () => {
      await services.kill();
      await database.drop();
      folder.remove();
    },
  };
}

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { infrastructure, root = ownRoot, extent = 'campaigns' } = options;
  const { databaseUrl, topicPrefix, environment, services, stop } = await openInstallation(
    infrastructure,
    configOf(options),
    root,
  );
  const [apiPort = 0] = await findFreePorts(1);
  const apiKey = randomBytes(16).toString('hex');
  const apiEnvironment = { API_PORT: String(apiPort), MUSTER_BOOTSTRAP_API_KEY: apiKey };
  const workers = new Set<ServiceProcess>();
  const startWorker = async (slots: number): Promise<ServiceProcess> => {
    const worker = await services.start('worker', { WORKER_CONCURRENCY: String(slots) });
    workers.add(worker);
    return worker;
  };
  try {
    await runCommand(root, 'migrate', environment);
    await runCommand(root, 'topics', environment);
    if (extent === 'one-process') await services.start('all', apiEnvironment);
    else {
      const beside =
        extent === 'whole' ? (['scheduler', 'trigger', 'dispatcher'] as const) : (['scheduler', 'trigger'] as const);
      await Promise.all([
        ...beside.map((service) => services.start(service)),
        services.start('api', apiEnvironment),
        ...options.workerSlots.map((slots) => startWorker(slots)),
      ]);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const url = `http://127.0.0.1:${apiPort}`;
  return {
    api: createMusterApi(url, apiKey),
    url,
    apiKey,
    databaseUrl,
    topicPrefix,
    workers,
    services,
    apiEnvironment,
    startWorker,
    endWorker: async (worker) => {
      workers.delete(worker);
      await services.end(worker);
    },
    stop,
  };
}

/** Process ids by name, as the meters take them. */
export function processesOf(
  installation: Installation,
  infrastructure: LocalInfrastructure,
): Record<string, () => number[]> {
  return {
    worker: () => installation.services.pids('worker'),
    trigger: () => installation.services.pids('trigger'),
    scheduler: () => installation.services.pids('scheduler'),
    api: () => installation.services.pids('api'),
    postgres: () => withDescendants(infrastructure.postgres.pid()),
    kafka: () => infrastructure.kafkaNodes.map((node) => node.pid()),
  };
}

function configOf({ countries, segmentationUrl, actionTypes, partitionsPerShard }: InstallationOptions) {
  const types: Record<string, object> = {};
  for (const [name, type] of Object.entries(actionTypes)) types[name] = { class: 'A', timeoutMs: 10_000, ...type };
  return {
    countries,
    segmentation: { url: segmentationUrl, timeoutMs: 10_000, pageSize: 1000 },
    actionTypes: types,
    partitionsPerShard,
  };
}

/**
 * Runs a command of the tree at `root`, so that another commit prepares its own schema and topics. Repeats a command
 * that fails: a busy broker may not serve a thousand new partitions in time.
 */
export async function runCommand(root: string, command: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const run = () =>
    promisify(execFile)(process.execPath, [join(root, 'cli/muster.ts'), command], {
      cwd: root,
      env: { ...process.env, ...environment },
    });
  for (let attempt = 1; ; attempt++) {
    try {
      await run();
      return;
    } catch (error) {
      if (attempt === commandAttempts) throw error;
    }
  }
}
