import type { z } from 'zod';
import { ConfigurationError } from '../runtime/configuration/configuration-error.ts';
import { parseDatabaseUrl, serversNamedBy, type DatabaseServer } from '../runtime/configuration/database-url.ts';
import { commonEnvironment, readEnvironment } from '../runtime/configuration/environment.ts';
import type { RunningServers } from './running-servers.ts';
import { answersTcp } from './tcp.ts';

const givenEnvironment = commonEnvironment.pick({ DATABASE_URL: true, KAFKA_BROKERS: true }).partial();

export type GivenServers = Pick<z.infer<typeof commonEnvironment>, 'DATABASE_URL' | 'KAFKA_BROKERS'>;

/** Returns the servers of DATABASE_URL and KAFKA_BROKERS; undefined if neither is set. Throws if only one is. */
export function readGivenServers(environment: NodeJS.ProcessEnv): GivenServers | undefined {
  const { DATABASE_URL, KAFKA_BROKERS } = readEnvironment(givenEnvironment, environment);
  if (DATABASE_URL !== undefined && KAFKA_BROKERS !== undefined) return { DATABASE_URL, KAFKA_BROKERS };
  if (DATABASE_URL === undefined && KAFKA_BROKERS === undefined) return undefined;
  const [set, missing] =
    DATABASE_URL === undefined ? ['KAFKA_BROKERS', 'DATABASE_URL'] : ['DATABASE_URL', 'KAFKA_BROKERS'];
  throw new ConfigurationError(`${set} is set and ${missing} is not: set both, or neither to have them started here`);
}

/** Throws an error of one line if no server listens at the database's addresses, or at any broker's. */
export async function useGivenServers(given: GivenServers): Promise<RunningServers> {
  await requireDatabase(given);
  await requireBroker(given.KAFKA_BROKERS);
  return {
    description: `the given Kafka at ${given.KAFKA_BROKERS.join(',')} and PostgreSQL at ${serversNamedBy(given.DATABASE_URL)}`,
    databaseUrl: given.DATABASE_URL,
    brokers: given.KAFKA_BROKERS,
    stop: () => Promise.resolve(),
  };
}

/** @throws {ConfigurationError} one line if no server listens at the database's addresses */
export async function requireDatabase(given: Pick<GivenServers, 'DATABASE_URL'>): Promise<void> {
  if (await databaseAnswers(given)) return;
  throw new ConfigurationError(`DATABASE_URL: nobody answers at ${serversNamedBy(given.DATABASE_URL)}`);
}

/** @throws {ConfigurationError} one line if no server listens at any of the addresses */
async function requireBroker(brokers: readonly string[]): Promise<void> {
  const answers = await Promise.all(brokers.map(brokerAnswers));
  if (!answers.includes(true)) throw new ConfigurationError(`KAFKA_BROKERS: nobody answers at ${brokers.join(', ')}`);
}

export async function databaseAnswers({ DATABASE_URL }: Pick<GivenServers, 'DATABASE_URL'>): Promise<boolean> {
  return (await Promise.all(parseDatabaseUrl(DATABASE_URL).servers.map(serverAnswers))).includes(true);
}

export async function serverAnswers({ host, port }: DatabaseServer): Promise<boolean> {
  // Only the database's client can find a socket file.
  return host === '' || host.startsWith('/') || answersTcp(host, port);
}

export async function brokerAnswers(broker: string): Promise<boolean> {
  const colon = broker.lastIndexOf(':');
  const port = Number(broker.slice(colon + 1));
  return colon > 0 && port > 0 && port < 65_536 && answersTcp(broker.slice(0, colon), port);
}
