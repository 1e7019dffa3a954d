import { randomBytes } from 'node:crypto';
import { GenericContainer, getContainerRuntimeClient, Wait, type StartedTestContainer } from 'testcontainers';
import { ConfigurationError } from '../runtime/configuration/configuration-error.ts';
import { findFreePorts } from './free-ports.ts';
import type { RunningServers } from './running-servers.ts';
import { kafkaVersion } from './kafka-artifacts.ts';
import { clusterSettings, databaseLocale, postgresArguments } from './server-settings.ts';

export const kafkaImage = `apache/kafka:${kafkaVersion}`;
export const postgresImage = 'postgres:18';

const probeDeadlineMs = 3000;
/** Includes pulling the images. */
const startDeadlineMs = 5 * 60_000;
const name = 'muster';

export interface ContainerRuntime {
  host: string;
  description: string;
}

/** Returns undefined if no runtime answers in time: a client without an engine, or an engine that hangs. */
export async function findContainerRuntime(): Promise<ContainerRuntime | undefined> {
  const { promise: deadline, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), probeDeadlineMs);
  const client = await Promise.race([getContainerRuntimeClient().catch(() => undefined), deadline]);
  clearTimeout(timer);
  if (client === undefined) return undefined;
  const { host, operatingSystem } = client.info.containerRuntime;
  return { host, description: `on ${operatingSystem}` };
}

/** Starts Kafka and PostgreSQL in containers; the runtime's reaper removes them if this process ends without `stop`. */
export async function startContainers(
  runtime: ContainerRuntime,
  report: (line: string) => void,
): Promise<RunningServers> {
  report(`starting ${kafkaImage} and ${postgresImage} in containers`);
  const [brokerPort = 0] = await findFreePorts(1);
  const password = randomBytes(16).toString('hex');
  const starting = [kafkaContainer(runtime.host, brokerPort).start(), postgresContainer(password).start()] as const;
  try {
    const [kafka, postgres] = await Promise.all(starting);
    const databaseUrl = `postgres://${name}:${password}@${postgres.getHost()}:${postgres.getMappedPort(5432)}/${name}`;
    return {
      description: `containers ${kafkaImage} at ${runtime.host}:${brokerPort} and ${postgresImage} at ${new URL(databaseUrl).host}`,
      databaseUrl,
      brokers: [`${runtime.host}:${brokerPort}`],
      stop: async () => {
        await Promise.all([remove(kafka), remove(postgres)]);
      },
    };
  } catch (error) {
    await removeStarted(starting);
    throw new ConfigurationError(
      `the containers did not start (${error instanceof Error ? error.message : String(error)}): INFRA=local does without them`,
      { cause: error },
    );
  }
}

/** Kafka announces its address to clients, so the outside port has to be known before the start. */
function kafkaContainer(host: string, port: number): GenericContainer {
  const settings = {
    ...clusterSettings(1),
    'node.id': 1,
    'controller.quorum.voters': '1@localhost:9093',
    listeners: 'PLAINTEXT://:9092,CONTROLLER://:9093',
    'advertised.listeners': `PLAINTEXT://${host}:${port}`,
  };
  return new GenericContainer(kafkaImage)
    .withEnvironment(
      Object.fromEntries(Object.entries(settings).map(([key, value]) => [imageVariable(key), `${value}`])),
    )
    .withExposedPorts({ container: 9092, host: port })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(startDeadlineMs);
}

/** Returns the environment variable of the image `apache/kafka` for a setting: `KAFKA_NODE_ID` for `node.id`. */
export function imageVariable(setting: string): string {
  return `KAFKA_${setting.toUpperCase().replaceAll('_', '__').replaceAll('-', '___').replaceAll('.', '_')}`;
}

function postgresContainer(password: string): GenericContainer {
  return (
    new GenericContainer(postgresImage)
      .withEnvironment({
        POSTGRES_USER: name,
        POSTGRES_DB: name,
        POSTGRES_PASSWORD: password,
        POSTGRES_INITDB_ARGS: databaseLocale.join(' '),
      })
      .withCommand(['postgres', ...postgresArguments()])
      .withSharedMemorySize(256 * 1024 * 1024)
      .withExposedPorts(5432)
      // The server starts once to set itself up, and then permanently.
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      .withStartupTimeout(startDeadlineMs)
  );
}

async function removeStarted(starting: readonly Promise<StartedTestContainer>[]): Promise<void> {
  for (const started of await Promise.allSettled(starting)) {
    if (started.status === 'fulfilled') await remove(started.value);
  }
}

async function remove(container: StartedTestContainer): Promise<void> {
  await container.stop({ remove: true, removeVolumes: true });
}
