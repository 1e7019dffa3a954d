import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePorts, isFree } from '../../shared/infrastructure/free-ports.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { makeKeyByHand } from '../installation/first-key.ts';
import { topicsOfFile } from '../../shared/runtime/installation/shard-topics.ts';
import { createTopics } from '../installation/topics.ts';
import type { DemoRoom } from './demo-room.ts';
import { demoEngineConfig, engineSettings, receiptsSecretEnv, sandboxSettings } from './demo-settings.ts';
import type { ProcessSpec } from './processes.ts';

export interface DemoInstallation {
  apiUrl: string;
  apiKey: string;
  sandboxUrl: string;
  /** Names of the workers in `specs`. */
  workerNames: readonly string[];
  configFile: string;
  specs: ProcessSpec[];
}

export interface InstallationOptions {
  users: number;
  workers: number;
  room: DemoRoom;
  environment: NodeJS.ProcessEnv;
  folder: string;
}

const favouriteApiPort = 8080;

/** Determines ports, writes the engine's file, and returns the environment of every process. */
export async function planInstallation(options: InstallationOptions): Promise<DemoInstallation> {
  const { users, workers, room, environment, folder } = options;
  const [sandboxPort = 0, otherApiPort = 0, ...healthPorts] = await findFreePorts(workers + 5);
  const apiPort = (await isFree(favouriteApiPort)) ? favouriteApiPort : otherApiPort;
  const url = (port: number) => `http://127.0.0.1:${port}`;
  const configFile = join(folder, 'engine.json');
  await writeFile(configFile, JSON.stringify(demoEngineConfig(url(sandboxPort), users), undefined, 2));
  const { secret } = await makeKeyByHand(room.databaseUrl, { name: 'demo', role: 'operator', by: 'muster demo' });

  const receiptsSecret = `whsec_${randomBytes(32).toString('base64')}`;
  const common = {
    ...environment,
    DATABASE_URL: room.databaseUrl,
    DATABASE_URL_FILE: '',
    KAFKA_BROKERS: room.kafka.brokers.join(','),
    MUSTER_CONFIG: configFile,
    MUSTER_TOPIC_PREFIX: room.topicPrefix,
    MUSTER_CURRENCY: 'SGD',
    // Sealed values exist only as long as the demo.
    MUSTER_SECRETS_KEY: randomBytes(32).toString('base64'),
    MUSTER_SECRETS_KEY_FILE: '',
    [receiptsSecretEnv]: receiptsSecret,
    // Each process has its own health port, or none.
    HEALTH_PORT: '',
    ...engineSettings,
  };
  const inTheBack = (service: 'scheduler' | 'trigger' | 'worker' | 'dispatcher', name: string): ProcessSpec => {
    const port = healthPorts.pop() ?? 0;
    return { name, service, environment: { ...common, HEALTH_PORT: String(port) }, readyUrl: `${url(port)}/readyz` };
  };
  const sandbox = {
    ...common,
    ...sandboxSettings(users),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_RECEIPTS_URL: `${url(apiPort)}/v1/receipts`,
    SANDBOX_RECEIPTS_SECRET: receiptsSecret,
  };
  const api = { ...common, API_PORT: String(apiPort), API_HOST: '127.0.0.1', API_DOCS: 'public' };
  const workerNames = Array.from({ length: workers }, (_, index) => `worker-${index + 1}`);
  return {
    apiUrl: url(apiPort),
    apiKey: secret,
    sandboxUrl: url(sandboxPort),
    workerNames,
    configFile,
    specs: [
      { name: 'sandbox', service: 'sandbox', environment: sandbox, readyUrl: `${url(sandboxPort)}/readyz` },
      { name: 'api', service: 'api', environment: api, readyUrl: `${url(apiPort)}/readyz` },
      inTheBack('scheduler', 'scheduler'),
      inTheBack('trigger', 'trigger'),
      inTheBack('dispatcher', 'dispatcher'),
      ...workerNames.map((name) => inTheBack('worker', name)),
    ],
  };
}

export async function prepareServers(room: DemoRoom): Promise<{ migrations: number; topics: number }> {
  // The topics do not depend on the sandbox's address.
  const topics = topicsOfFile(demoEngineConfig('http://127.0.0.1', 1), room.topicPrefix);
  const [applied] = await Promise.all([migrate(room.databaseUrl), createTopics(room.kafka, topics)]);
  return { migrations: applied.length, topics: topics.length };
}
