import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claimPort, findFreePorts } from '../../../shared/infrastructure/free-ports.ts';
import { migrate } from '../../../shared/postgres/connection/migrate.ts';
import type { EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import { makeKeyByHand } from '../../installation/first-key.ts';
import { topicsOfFile } from '../../../shared/runtime/installation/shard-topics.ts';
import { createTopics } from '../../installation/topics.ts';
import type { CalledServices } from './called-services.ts';
import type { DemoRoom } from './demo-room.ts';
import type { ProcessSpec } from './processes.ts';

export interface DemoInstallation {
  apiUrl: string;
  apiKey: string;
  /** Name and base URL of the called services. */
  calledName: string;
  calledUrl: string;
  /** URL of the database; undefined on given servers, whose address may contain another's password. */
  databaseUrl: string | undefined;
  /** Names of the workers in `specs`. */
  workerNames: readonly string[];
  configFile: string;
  specs: ProcessSpec[];
}

export interface InstallationOptions {
  workers: number;
  room: DemoRoom;
  environment: NodeJS.ProcessEnv;
  folder: string;
  called: CalledServices;
  engineConfig: (calledUrl: string) => EngineConfig;
}

const favouriteApiPort = 8080;

/** Determines ports, writes the engine's file, and returns the environment of every process. */
export async function planInstallation(options: InstallationOptions): Promise<DemoInstallation> {
  const { workers, room, environment, folder, called, engineConfig } = options;
  const [calledPort = 0, otherApiPort = 0, calledHealthPort = 0, ...healthPorts] = await findFreePorts(workers + 6);
  const apiPort = (await claimPort(favouriteApiPort)) ? favouriteApiPort : otherApiPort;
  const url = (port: number) => `http://127.0.0.1:${port}`;
  const configFile = join(folder, 'engine.json');
  await writeFile(configFile, JSON.stringify(engineConfig(url(calledPort)), undefined, 2));
  const { secret } = await makeKeyByHand(room.databaseUrl, { name: 'demo', role: 'operator', by: 'muster demo' });

  const common = {
    ...environment,
    DATABASE_URL: room.databaseUrl,
    DATABASE_URL_FILE: '',
    KAFKA_BROKERS: room.kafka.brokers.join(','),
    MUSTER_CONFIG: configFile,
    MUSTER_TOPIC_PREFIX: room.topicPrefix,
    MUSTER_CURRENCY: 'SGD',
    // A random key is enough, because the values encrypted with it exist only as long as the demo.
    MUSTER_SECRETS_KEY: randomBytes(32).toString('base64'),
    MUSTER_SECRETS_KEY_FILE: '',
    // Cleared here, because each process gets its own health port, or none.
    HEALTH_PORT: '',
    ...called.environment,
  };
  const inTheBack = (service: 'scheduler' | 'trigger' | 'worker' | 'dispatcher', name: string): ProcessSpec => {
    const port = healthPorts.pop() ?? 0;
    return { name, service, environment: { ...common, HEALTH_PORT: String(port) }, readyUrl: `${url(port)}/readyz` };
  };
  const place = { port: calledPort, url: url(calledPort), healthPort: calledHealthPort };
  const {
    service,
    environment: ownEnvironment,
    readyUrl,
  } = called.process({ ...place, apiUrl: url(apiPort), apiKey: secret });
  const api = { ...common, API_PORT: String(apiPort), API_HOST: '127.0.0.1', API_DOCS: 'public' };
  const workerNames = Array.from({ length: workers }, (_, index) => `worker-${index + 1}`);
  return {
    apiUrl: url(apiPort),
    apiKey: secret,
    calledName: service,
    calledUrl: url(calledPort),
    databaseUrl: room.description === undefined ? room.databaseUrl : undefined,
    workerNames,
    configFile,
    specs: [
      { name: service, service, environment: { ...common, ...ownEnvironment }, readyUrl },
      { name: 'api', service: 'api', environment: api, readyUrl: `${url(apiPort)}/readyz` },
      inTheBack('scheduler', 'scheduler'),
      inTheBack('trigger', 'trigger'),
      inTheBack('dispatcher', 'dispatcher'),
      ...workerNames.map((name) => inTheBack('worker', name)),
    ],
  };
}

export async function prepareServers(
  room: DemoRoom,
  config: EngineConfig,
): Promise<{ migrations: number; topics: number }> {
  const topics = topicsOfFile(config, room.topicPrefix);
  const [applied] = await Promise.all([migrate(room.databaseUrl), createTopics(room.kafka, topics)]);
  return { migrations: applied.length, topics: topics.length };
}
