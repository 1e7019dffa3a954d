import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startService, type Child } from './child.ts';
import { withDescendants } from './cpu.ts';
import { createMusterApi, type MusterApi } from './muster-api.ts';
import { findFreePorts } from '../shared/infrastructure/free-ports.ts';
import type { LocalInfrastructure } from '../shared/infrastructure/local.ts';

export const ownRoot = join(import.meta.dirname, '..');

const readyDeadlineMs = 60_000;
const pollMs = 50;
const keptLogCharacters = 4000;

/** An action type of the engine's configuration file, as far as benchmarks set it. */
export interface ActionType {
  url: string;
  answerForm: 'full' | 'compact';
  /** Calls of one worker in flight at once for this action type. */
  concurrency: number;
  timeoutMs?: number;
}

export interface InstallationOptions {
  infrastructure: LocalInfrastructure;
  /** Where the engine's source lies: this tree, or another commit's. */
  root?: string;
  countries: readonly string[];
  segmentationUrl: string;
  actionTypes: Readonly<Record<string, ActionType>>;
  partitionsPerShard: number;
  /** One entry per worker that is started: its calls in flight over all action types. */
  workerSlots: readonly number[];
}

/** A whole Muster with a database and topics of its own, each service a process, seen from outside only. */
export interface Installation {
  readonly api: MusterApi;
  readonly databaseUrl: string;
  readonly workers: ReadonlySet<Child>;
  /** Resolves when the worker says that it is ready. */
  startWorker(slots: number): Promise<Child>;
  /** Lets the worker finish what it has begun. */
  endWorker(worker: Child): Promise<void>;
  /** Process ids by service. */
  pids(service: 'api' | 'scheduler' | 'trigger' | 'worker'): number[];
  /** Ends all processes at once and removes the database. */
  stop(): Promise<void>;
}

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { infrastructure, root = ownRoot } = options;
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const database = await createDatabase(infrastructure.databaseUrl);
  const [apiPort = 0] = await findFreePorts(1);
  const apiKey = randomBytes(16).toString('hex');
  const environment = {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: infrastructure.brokers.join(','),
    MUSTER_CONFIG: join(folder, 'engine.json'),
    MUSTER_TOPIC_PREFIX: `bench-${randomBytes(4).toString('hex')}`,
    MUSTER_BOOTSTRAP_API_KEY: apiKey,
    API_PORT: String(apiPort),
    LOG_LEVEL: 'error',
  };
  const children = new Map<Child, string>();
  const start = (service: string, more: NodeJS.ProcessEnv = {}): Child => {
    const logFile = join(folder, 'services.log');
    const child = startService(root, service, { environment: { ...environment, ...more }, logFile });
    children.set(child, service);
    return child;
  };
  const requireRunning = () => {
    for (const [child, service] of children) {
      if (!child.running) throw new Error(`the ${service} ended by itself: ${endOf(join(folder, 'services.log'))}`);
    }
  };
  const until = async (isReady: () => Promise<boolean>) => {
    const giveUpAt = performance.now() + readyDeadlineMs;
    while (!(await isReady())) {
      requireRunning();
      if (performance.now() > giveUpAt) throw new Error(`not ready: ${endOf(join(folder, 'services.log'))}`);
      await wait(pollMs);
    }
  };
  const stop = async () => {
    await Promise.all([...children.keys()].map((child) => child.stop('SIGKILL')));
    await database.drop();
    rmSync(folder, { recursive: true });
  };

  const workers = new Set<Child>();
  const startWorker = async (slots: number): Promise<Child> => {
    const [port = 0] = await findFreePorts(1);
    const worker = start('worker', { WORKER_CONCURRENCY: String(slots), HEALTH_PORT: String(port) });
    workers.add(worker);
    await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok ?? false);
    return worker;
  };

  try {
    writeFileSync(environment.MUSTER_CONFIG, JSON.stringify(configOf(options)));
    await runCommand(root, 'migrate', environment);
    await runCommand(root, 'topics', environment);
    for (const service of ['scheduler', 'trigger', 'api']) start(service);
    const api = createMusterApi(`http://127.0.0.1:${apiPort}`, apiKey);
    await Promise.all([until(() => api.ready()), ...options.workerSlots.map((slots) => startWorker(slots))]);
    return {
      api,
      databaseUrl: database.url,
      workers,
      startWorker,
      endWorker: async (worker) => {
        await worker.stop();
        workers.delete(worker);
        children.delete(worker);
      },
      pids: (service) => [...children].filter(([, name]) => name === service).map(([child]) => child.pid),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Process ids by name, as the meters take them. */
export function processesOf(
  installation: Installation,
  infrastructure: LocalInfrastructure,
): Record<string, () => number[]> {
  return {
    worker: () => installation.pids('worker'),
    trigger: () => installation.pids('trigger'),
    scheduler: () => installation.pids('scheduler'),
    api: () => installation.pids('api'),
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
    replicationFactor: 1,
  };
}

/** One-shot commands of the engine's own command line, so that another commit prepares its own schema and topics. */
async function runCommand(root: string, command: string, environment: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, 'cli/muster.ts'), command], {
    cwd: root,
    env: { ...process.env, ...environment },
  });
}

async function createDatabase(serverUrl: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await administer(serverUrl, `create database ${name}`);
  return { url: url.href, drop: () => administer(serverUrl, `drop database ${name} with (force)`) };
}

async function administer(serverUrl: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function endOf(logFile: string): string {
  return readFileSync(logFile, 'utf8').slice(-keptLogCharacters);
}
