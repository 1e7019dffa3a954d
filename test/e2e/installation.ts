import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { inject } from 'vitest';
import { createMusterApi, type MusterApi } from './muster-api.ts';
import { readLedger } from '../../services/sandbox/ledger.ts';
import { segmentDescription, userPage } from '../../shared/contracts/segmentation.ts';
import { topicNames } from '../../shared/domain/shard.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import {
  startServiceProcess,
  type ServiceName,
  type ServiceProcess,
} from '../../shared/infrastructure/service-process.ts';
import { createKafka } from '../../shared/kafka/connection.ts';
import { createTopicAdmin } from '../../shared/kafka/topic-admin.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { createTestDatabase } from '../support/postgres-database.ts';
import type { Evidence } from '../support/evidence.ts';

export const countries = ['SG', 'ID', 'VN'];

/** What most campaigns do: a reward, and a message to those who got it. */
export const rewardThenMessage = [
  { action: 'award-reward', params: { rewardId: 'ride-5', units: 2 } },
  { action: 'send-message', params: { template: 'congratulations' } },
];

export interface InstallationOptions {
  /** How many workers, each a process as every other service is; or all services in one process. */
  workers: number | 'all-in-one';
  /** Switches of the sandbox, by their environment variables. */
  sandbox: Record<string, string>;
  /** Settings of the engine's services, by their environment variables. */
  engine?: Record<string, string>;
  /** One of its own unless given. */
  topicPrefix?: string;
}

/** A whole Muster of its own, on the Kafka and Postgres of the test run. */
export interface Installation {
  readonly api: MusterApi;
  /** By name: `worker-1`, `trigger`, …, or `all`. Killing is up to the test; `restart` brings one back under its name. */
  readonly services: ReadonlyMap<string, ServiceProcess>;
  /** Resolves when it is started; one that serves the API, when that answers. */
  restart(name: string): Promise<void>;
  /** What the witnesses say about a run that has ended. */
  evidence(runId: string, segment: string): Promise<Evidence>;
  /** Users that the called services of this installation served for that run and step. */
  effectsOf(runId: string, step: number): Promise<number>;
  stop(): Promise<void>;
}

const readyDeadlineMs = 30_000;
const pollMs = 50;

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'muster-e2e-'));
  const [apiPort = 0, sandboxPort = 0] = await findFreePorts(2);
  const apiKey = `muster_${randomBytes(16).toString('hex')}`;
  const topicPrefix = options.topicPrefix ?? `e2e-${randomBytes(4).toString('hex')}`;
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const configFile = join(folder, 'engine.json');
  const config = engineConfigFor(sandboxUrl);
  writeFileSync(configFile, JSON.stringify(config));
  await createTopics(topicPrefix, Object.keys(config.actionTypes), config.partitionsPerShard);

  const environment = {
    ...process.env,
    DATABASE_URL: database.url,
    KAFKA_BROKERS: inject('kafkaBrokers'),
    MUSTER_CONFIG: configFile,
    MUSTER_TOPIC_PREFIX: topicPrefix,
    MUSTER_BOOTSTRAP_API_KEY: apiKey,
    API_PORT: String(apiPort),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_LEDGER: join(folder, 'ledger.jsonl'),
    SANDBOX_REWARDS_STORE: 'postgres',
    LOG_LEVEL: 'info',
    ...options.sandbox,
    ...options.engine,
  };
  const services = new Map<string, ServiceProcess>();
  const start = (name: string) => {
    const logFile = join(folder, `${name}.log`);
    services.set(name, startServiceProcess({ service: serviceOf(name), environment, logFile }));
  };
  for (const name of ['sandbox', ...namesOf(options.workers)]) start(name);
  const apiReady = () => awaitAnswer(`http://127.0.0.1:${apiPort}/readyz`, services.get('api') ?? services.get('all'));
  await Promise.all([awaitAnswer(`${sandboxUrl}/stats`, services.get('sandbox')), apiReady()]);

  const api = createMusterApi(`http://127.0.0.1:${apiPort}`, apiKey);
  return {
    api,
    services,
    restart: async (name) => {
      start(name);
      if (name === 'api' || name === 'all') await apiReady();
    },
    evidence: (runId, segment) =>
      gatherEvidence(api, runId, `${sandboxUrl}/segmentation`, segment, environment.SANDBOX_LEDGER),
    effectsOf: async (runId, step) => (await readLedger(environment.SANDBOX_LEDGER)).of(runId, step).applied.size,
    stop: async () => {
      await Promise.all([...services.values()].map((service) => service.end('SIGTERM')));
      await database.drop();
      rmSync(folder, { recursive: true });
    },
  };
}

function namesOf(workers: InstallationOptions['workers']): string[] {
  if (workers === 'all-in-one') return ['all'];
  return ['api', 'scheduler', 'trigger', ...Array.from({ length: workers }, (_, index) => `worker-${index + 1}`)];
}

const serviceNames: readonly ServiceName[] = ['sandbox', 'api', 'scheduler', 'trigger', 'worker', 'all'];

/** `worker-2` is a worker. */
function serviceOf(name: string): ServiceName {
  const service = serviceNames.find((known) => known === name.replace(/-\d+$/, ''));
  if (!service) throw new Error(`no service is called ${name}`);
  return service;
}

function engineConfigFor(sandboxUrl: string) {
  return {
    countries,
    // Small pages: feeding takes long enough to be interrupted.
    segmentation: { url: `${sandboxUrl}/segmentation`, pageSize: 100 },
    actionTypes: {
      'award-reward': { url: `${sandboxUrl}/rewards/v1/batches`, class: 'A', answerForm: 'full', timeoutMs: 2000 },
      'award-points': { url: `${sandboxUrl}/points/v1/batches`, class: 'B', answerForm: 'full', timeoutMs: 2000 },
      'send-message': { url: `${sandboxUrl}/messages/v1/batches`, class: 'B', answerForm: 'compact', timeoutMs: 2000 },
    },
    partitionsPerShard: 4,
  };
}

async function createTopics(prefix: string, actionTypes: readonly string[], partitions: number): Promise<void> {
  const topics = topicNames(prefix);
  const shards = actionTypes.flatMap((actionType) => countries.map((country) => topics.shard({ actionType, country })));
  const kafka = createKafka({
    brokers: inject('kafkaBrokers').split(','),
    clientId: 'e2e',
    logger: createLogger('e2e', 'silent'),
  });
  const admin = createTopicAdmin({ kafka });
  await admin.ensureTopics([topics.fires, ...shards].map((topic) => ({ topic, partitions, replicationFactor: 1 })));
  await admin.close();
}

async function awaitAnswer(url: string, service: ServiceProcess | undefined): Promise<void> {
  const deadline = performance.now() + readyDeadlineMs;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    if (!service?.running) throw new Error(`the service behind ${url} ended: see ${service?.logFile ?? 'nothing'}`);
    if (performance.now() > deadline) throw new Error(`${url} did not answer within ${readyDeadlineMs} ms`);
    await wait(pollMs);
  }
}

async function gatherEvidence(
  api: MusterApi,
  runId: string,
  segmentationUrl: string,
  segment: string,
  ledgerFile: string,
): Promise<Evidence> {
  const [report, failures, ledger] = await Promise.all([
    api.report(runId),
    api.failures(runId),
    readLedger(ledgerFile),
  ]);
  const audience = new Map<string, string[]>();
  for (const country of countries) audience.set(country, await pageSegment(segmentationUrl, segment, country));
  return {
    audience,
    runState: report.state,
    lines: new Map(report.countries.map(({ country, steps }) => [country, steps])),
    effects: report.steps.map(({ step }) => ledger.of(runId, step).applied),
    failures: failures.map(({ userId, step, country, reason }) => ({ user: userId, step, country, reason })),
  };
}

/** All users of a segment in a country, as the segmentation service itself serves them. */
async function pageSegment(baseUrl: string, segment: string, country: string): Promise<string[]> {
  const url = new URL(`${baseUrl}/v1/segments/${encodeURIComponent(segment)}`);
  url.searchParams.set('country', country);
  const description: unknown = await (await fetch(url)).json();
  const { snapshot } = segmentDescription.parse(description);
  const users: string[] = [];
  for (let after: string | null = null; ;) {
    const query = new URLSearchParams({ country, snapshot, limit: '5000', ...(after === null ? {} : { after }) });
    const page = userPage.parse(await (await fetch(`${url.origin}${url.pathname}/users?${query.toString()}`)).json());
    users.push(...page.users);
    if (page.next === null) return users;
    after = page.next;
  }
}
