import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createMusterApi, type MusterApi } from './muster-api.ts';
import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import { awaitActionTypes } from './await-action-types.ts';
import { engineConfigFor, type EngineConfigFile } from './engine-config.ts';
import { endOrKill } from './end-service.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { topicNames } from '../../shared/domain/endpoint/shard.ts';
import { awaitReady, lastLines } from '../../shared/infrastructure/await-ready.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import {
  startServiceProcess,
  type ServiceName,
  type ServiceProcess,
} from '../../shared/infrastructure/service-process.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createTopicAdmin } from '../../shared/kafka/cluster/topic-admin.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { within } from '../../shared/runtime/within.ts';
import { createTestDatabase, createTestDatabaseOn, type TestDatabase } from '../support/postgres-database.ts';
import type { Evidence } from '../support/evidence.ts';
import { createRoles, type ServiceRole } from '../support/database-roles.ts';

export const countries = ['SG', 'ID', 'VN'];

/** Chain of most campaigns: a reward, and a message to users who received it. */
export const rewardThenMessage = [
  { action: 'award-reward', params: { rewardId: 'ride-5', units: 2 } },
  { action: 'send-message', params: { template: 'congratulations' } },
];

export interface Servers {
  databaseUrl: string;
  /** `host:port`, separated by commas. */
  kafkaBrokers: string;
}

export interface InstallationOptions {
  /** Number of workers, each a process as every other service is; or all services in one process. */
  workers: number | 'all-in-one';
  /** Two or more share the work. */
  triggers?: number;
  schedulers?: number;
  /** None unless given. */
  dispatchers?: number;
  /** Switches of the sandbox, by their environment variables. */
  sandbox: Record<string, string>;
  /** Settings of the engine's services, by their environment variables. */
  engine?: Record<string, string>;
  /** Settings of single processes, by their name; those that need it get the address of the database by its role. */
  engineOf?:
    | Record<string, Record<string, string>>
    | ((urlFor: (role: ServiceRole) => string) => Record<string, Record<string, string>>);
  /** Other servers than those of the test run. */
  servers?: Servers;
  /** Returns the database address for the services, if it is not the direct one. */
  throughProxy?: (databaseUrl: string) => Promise<string>;
  /** Receives the API's address and returns the address for clients, if they differ. */
  apiThrough?: (apiUrl: string) => Promise<string>;
  countries?: readonly string[];
  /** Changes the engine's configuration. */
  configure?: (config: EngineConfigFile) => EngineConfigFile;
  /** One of its own unless given. */
  topicPrefix?: string;
  /** Changes the migrated database before a process starts. */
  alterDatabase?: (databaseUrl: string) => Promise<void>;
  /**
   * Folder of the sources of the services, read at each start; this checkout unless given. The sandbox is always from
   * this checkout.
   */
  root?: string | ((name: string) => string | undefined);
}

/** A whole Muster of its own, on the Kafka and Postgres of the test run or on servers of the test's own. */
export interface Installation {
  readonly api: MusterApi;
  /**
   * By name: `worker-1`, `trigger`, …, or `all`. Killing is up to the test; `restart` brings one back under its name.
   */
  readonly services: ReadonlyMap<string, ServiceProcess>;
  readonly database: TestDatabase;
  readonly kafkaBrokers: string;
  readonly topicPrefix: string;
  readonly sandboxUrl: string;
  readonly ledgerFile: string;
  readonly countries: readonly string[];
  /** Environment for commands that call this installation's API. */
  readonly cliEnvironment: Readonly<Record<string, string>>;
  /**
   * Resolves when it is started; one that serves the API, when that answers. Also starts one that was not there yet.
   */
  restart(name: string, environment?: Record<string, string>): Promise<void>;
  /** Writes another configuration beside the first; its path, for `MUSTER_CONFIG`. */
  writeConfig(change: (config: EngineConfigFile) => EngineConfigFile): string;
  createTopics(countries: readonly string[]): Promise<void>;
  /** Collects the evidence of the witnesses about a run that has ended. */
  evidence(runId: string, segment: string): Promise<Evidence>;
  /** Users that the called services of this installation served for that run and step. */
  effectsOf(runId: string, step: number): Promise<number>;
  stop(): Promise<void>;
}

const stepWithinMs = 20_000;
/** In sum below the time-out of hooks. A start beside three brokers takes long. */
const [readyWithinMs, registeredWithinMs] = [60_000, 30_000];

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const servers = options.servers ?? { databaseUrl: inject('databaseUrl'), kafkaBrokers: inject('kafkaBrokers') };
  const database = await (options.servers ? createTestDatabaseOn(options.servers.databaseUrl) : createTestDatabase());
  await options.alterDatabase?.(database.url);
  const roles = await createRoles(database.url);
  const folder = mkdtempSync(join(tmpdir(), 'muster-e2e-'));
  const [apiPort = 0, sandboxPort = 0] = await findFreePorts(2);
  const apiKey = `muster_${randomBytes(16).toString('hex')}`;
  const topicPrefix = options.topicPrefix ?? `e2e-${randomBytes(4).toString('hex')}`;
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const ledgerFile = join(folder, 'ledger.jsonl');
  const served = [...(options.countries ?? countries)];
  const config = (options.configure ?? ((same) => same))(engineConfigFor(sandboxUrl, served, timeoutOf(options)));
  const write = (name: string, value: EngineConfigFile) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const configFile = write('engine.json', config);
  await createTopics(servers.kafkaBrokers, topicPrefix, config);

  const rewardsStore = options.sandbox['SANDBOX_REWARDS_MEMORY'] === undefined ? 'postgres' : 'memory';
  const environment = {
    ...process.env,
    KAFKA_BROKERS: servers.kafkaBrokers,
    MUSTER_CONFIG: configFile,
    MUSTER_TOPIC_PREFIX: topicPrefix,
    MUSTER_BOOTSTRAP_API_KEY: apiKey,
    MUSTER_SECRETS_KEY: randomBytes(32).toString('base64'),
    API_PORT: String(apiPort),
    LOG_LEVEL: 'info',
    ...options.engine,
  };
  // The sandbox is the witness, so it uses none of the servers that the tests break.
  const sandboxEnvironment = {
    ...environment,
    DATABASE_URL: database.url,
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_LEDGER: ledgerFile,
    SANDBOX_REWARDS_STORE: rewardsStore,
    ...(options.sandbox['SANDBOX_RECEIPTS_SECRET'] !== undefined && {
      SANDBOX_RECEIPTS_URL: `http://127.0.0.1:${apiPort}/v1/receipts`,
    }),
    ...options.sandbox,
  };
  const services = new Map<string, ServiceProcess>();
  const reached = (await options.throughProxy?.(database.url)) ?? database.url;
  const engineOf =
    typeof options.engineOf === 'function'
      ? options.engineOf((role) => roles.urlFor(role, database.url))
      : options.engineOf;
  const environments = new Map(Object.entries(engineOf ?? {}));
  const start = (name: string, extra: Record<string, string> = {}): ServiceProcess => {
    const logFile = join(folder, `${name}.log`);
    const service = serviceOf(name);
    const engineEnvironment = { ...environment, DATABASE_URL: roles.urlFor(roleOf(service), reached) };
    const own = service === 'sandbox' ? sandboxEnvironment : { ...engineEnvironment, ...environments.get(name) };
    const ofServices = typeof options.root === 'function' ? options.root(name) : options.root;
    const root = service === 'sandbox' ? undefined : ofServices;
    const process = startServiceProcess({
      service,
      environment: { ...own, ...extra },
      logFile,
      ...(root !== undefined && { root }),
    });
    services.set(name, process);
    return process;
  };
  const ownApiUrl = `http://127.0.0.1:${apiPort}`;
  const started = ['sandbox', ...namesOf(options)].map((name) => ({ name, process: start(name) }));
  const ready = async ({ name, process }: Started) => {
    const url = name === 'sandbox' ? sandboxUrl : ownApiUrl;
    if (name === 'sandbox' || isApi(name))
      await awaitReady({ name, process, readyUrl: `${url}/readyz` }, readyWithinMs);
  };
  const end = async () => {
    // A frozen process does not handle SIGTERM, so it is continued first.
    for (const service of services.values()) if (service.running) process.kill(service.pid, 'SIGCONT');
    const ends = await Promise.allSettled([...services].map(([name, service]) => endOrKill(name, service)));
    await within(stepWithinMs, database.drop());
    await within(stepWithinMs, roles.drop());
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };
  const stop = async () => {
    await end();
    rmSync(folder, { recursive: true });
  };
  try {
    await Promise.all(started.map(ready));
    await awaitActionTypes(createMusterApi(ownApiUrl, apiKey), config, registeredWithinMs);
  } catch (error) {
    const logs = [...services.keys()].map((name) => lastLines(name, join(folder, `${name}.log`)));
    await end();
    // The folder is kept, because the error message names its log files.
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the installation in ${folder} did not start: ${why}\n${logs.join('\n')}`, { cause: error });
  }

  const apiUrl = (await options.apiThrough?.(ownApiUrl)) ?? ownApiUrl;
  const api = createMusterApi(apiUrl, apiKey);
  return {
    api,
    services,
    database,
    kafkaBrokers: servers.kafkaBrokers,
    topicPrefix,
    sandboxUrl,
    ledgerFile,
    countries: served,
    cliEnvironment: { MUSTER_API_URL: apiUrl, MUSTER_API_KEY: apiKey },
    restart: async (name, extra) => {
      if (extra) environments.set(name, { ...environments.get(name), ...extra });
      await ready({ name, process: start(name) });
    },
    writeConfig: (change) => write(`engine-${randomBytes(4).toString('hex')}.json`, change(config)),
    createTopics: (added) => createTopics(servers.kafkaBrokers, topicPrefix, { ...config, countries: [...added] }),
    evidence: (runId, segment) =>
      gatherEvidence({ api, segmentationUrl: `${sandboxUrl}/segmentation`, ledgerFile }, runId, segment),
    effectsOf: async (runId, step) => (await readLedger(ledgerFile)).of(runId, step).applied.size,
    stop,
  };
}

interface Started {
  name: string;
  process: ServiceProcess;
}

function namesOf({ workers, triggers = 1, schedulers = 1, dispatchers = 0 }: InstallationOptions): string[] {
  if (workers === 'all-in-one') return ['all'];
  return [
    ...['api', ...several('scheduler', schedulers), ...several('trigger', triggers)],
    ...[...numbered('worker', workers), ...numbered('dispatcher', dispatchers)],
  ];
}

/** True for `api`, and for `all`: a process of all services also serves the API. */
const isApi = (name: string): boolean => name === 'api' || name === 'all';

/** Returns numbered names, or the plain name if there is only one process. */
function several(name: string, count: number): string[] {
  return count === 1 ? [name] : numbered(name, count);
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
}

const serviceNames: readonly ServiceName[] = ['sandbox', 'api', 'scheduler', 'trigger', 'worker', 'dispatcher', 'all'];

/** `worker-2` is a worker. */
function serviceOf(name: string): ServiceName {
  const service = serviceNames.find((known) => known === name.replace(/-\d+$/, ''));
  if (!service) throw new Error(`no service is called ${name}`);
  return service;
}

/** A process of all services uses the role `all`, which has the rights of both. */
function roleOf(service: ServiceName): ServiceRole {
  return service === 'api' || service === 'all' ? service : 'engine';
}

/**
 * Returns the time-out of calls. It is long, because on a busy machine endpoints answer late, and a repeated call would
 * be a second effect. Tests with short leases get a shorter time-out, because a lease has to be longer than two calls.
 */
function timeoutOf({ engine }: InstallationOptions): number {
  const leaseMs = Number(engine?.['WORKER_LEASE_MS'] ?? Number.POSITIVE_INFINITY);
  return Math.min(10_000, Math.round(0.4 * leaseMs));
}

async function createTopics(kafkaBrokers: string, prefix: string, config: EngineConfigFile): Promise<void> {
  const topics = topicNames(prefix);
  const shards = Object.keys(config.actionTypes).flatMap((actionType) =>
    config.countries.map((country) => topics.shard({ actionType, country })),
  );
  const logger = createLogger('e2e', 'silent');
  const admin = createTopicAdmin({ kafka: createKafka({ brokers: kafkaBrokers.split(','), clientId: 'e2e', logger }) });
  const { partitionsPerShard: partitions, replicationFactor = 1 } = config;
  try {
    await admin.ensureTopics(shards.map((topic) => ({ topic, partitions, replicationFactor })));
  } finally {
    await admin.close();
  }
}
