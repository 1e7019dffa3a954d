import type { Cluster } from 'kafkajs';
import { within } from '../../runtime/within.ts';
import type { KafkaConnection } from '../client/connection.ts';
import { ConfigurationError } from '../../runtime/configuration/configuration-error.ts';

/**
 * Checks that a broker answers requests. The kernel accepts connections to a process that is stopped, so a connection
 * alone shows nothing.
 */
export interface BrokerCheck {
  /** Rejects with the cause if none of the given brokers answers within seconds. */
  require: () => Promise<void>;
  close(): Promise<void>;
}

export interface BrokerCheckDeps {
  /** Configured client, whose TLS and user apply to each request. */
  kafka: Pick<KafkaConnection, 'brokerAt'>;
  /** Brokers as `host:port`. */
  brokers: readonly string[];
}

/** Milliseconds for an answer: shorter than the time-out of `/readyz`, so that its answer names the brokers. */
const answersWithinMs = 1_500;
/** Milliseconds for a connection. A distant network may need longer than a check: later checks wait for it too. */
const connectsWithinMs = 10_000;

export function createBrokerCheck({ kafka, brokers }: BrokerCheckDeps): BrokerCheck {
  const opened = new Map<string, Cluster>();
  const probing = new Map<string, Promise<void>>();

  async function probe(broker: string): Promise<void> {
    const cluster = opened.get(broker) ?? kafka.brokerAt(broker, connectsWithinMs);
    opened.set(broker, cluster);
    try {
      await requestApiVersions(cluster);
    } catch (error) {
      // The next request opens another connection: this one may never answer again.
      opened.delete(broker);
      void cluster.disconnect().catch(() => undefined);
      throw error;
    }
  }

  /** Sends a broker one request at a time: further callers share the result of the first one. */
  async function probeOnce(broker: string): Promise<void> {
    const under = probing.get(broker) ?? probe(broker).finally(() => probing.delete(broker));
    probing.set(broker, under);
    try {
      await within(answersWithinMs, under);
    } catch (error) {
      throw new Error(`${broker}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }

  return {
    require: async () => {
      try {
        await Promise.any(brokers.map(probeOnce));
      } catch (error) {
        const causes: unknown[] = error instanceof AggregateError ? error.errors : [error];
        const texts = causes.map((cause) => (cause instanceof Error ? cause.message : String(cause)));
        throw new Error(`no broker of KAFKA_BROKERS answers (${texts.join('; ')})`, { cause: error });
      }
    },
    close: async () => {
      const ended = Promise.allSettled([...opened.values()].map((cluster) => cluster.disconnect()));
      opened.clear();
      // A connection waits for its answer before it ends, and a stopped broker gives none.
      await within(answersWithinMs, ended).catch(() => undefined);
    },
  };
}

/** @throws {ConfigurationError} one line with the cause for each broker, if none answers */
export async function requireBrokerOnce(deps: BrokerCheckDeps): Promise<void> {
  const check = createBrokerCheck(deps);
  try {
    await check.require();
  } catch (error) {
    throw new ConfigurationError(error instanceof Error ? error.message : String(error));
  } finally {
    await check.close();
  }
}

/** Connects, which includes TLS and the user's authentication, and sends the lightest request of Kafka's protocol. */
async function requestApiVersions(cluster: Cluster): Promise<void> {
  await cluster.connect();
  const seed: unknown = Reflect.get(Object(Reflect.get(cluster, 'brokerPool')), 'seedBroker');
  const apiVersions: unknown = Reflect.get(Object(seed), 'apiVersions');
  if (typeof apiVersions !== 'function') throw new Error('kafkajs has no seed broker as in version 2.2.4');
  await Reflect.apply(apiVersions, seed, []);
}
