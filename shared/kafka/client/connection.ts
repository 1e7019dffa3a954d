import {
  Kafka,
  PartitionAssigners,
  logLevel,
  type Admin,
  type Cluster,
  type Consumer,
  type ConsumerConfig,
  type KafkaConfig,
  type Producer,
  type ProducerConfig,
  type SASLOptions,
} from 'kafkajs';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { clientLogLevel, createClientLog } from './client-log.ts';
import { expireMetadataAfterClockChange } from './clock-fix.ts';
import { acceptMissingTopics } from './metadata-fix.ts';
import { endFetchersOfStopped } from './stop-fix.ts';
import { stopIdleWakeUps } from './throttle-fix.ts';

/** Security settings of a Kafka cluster. Certificates and keys are PEM texts, not paths. */
export interface KafkaSecurity {
  /**
   * TLS settings. If present, connections use TLS, and the broker's certificate must be valid for its name. An empty
   * object trusts the system's authorities.
   */
  tls?: {
    /** Certificate authorities to trust in place of the system's. */
    ca?: string;
    /** Certificate and key of this client, if the broker requests them. */
    cert?: string;
    key?: string;
  };
  sasl?: {
    mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    username: string;
    password: string;
  };
}

export interface KafkaDeps {
  /** Brokers as `host:port`; one that answers is enough to find the others. */
  brokers: readonly string[];
  /** Name of this process in the brokers' logs and quotas. */
  clientId: string;
  logger: Logger;
  security?: KafkaSecurity | undefined;
  clock?: Pick<Clock, 'monotonicMs'>;
}

export interface KafkaConnection {
  producer(config: ProducerConfig): Producer;
  consumer(config: ConsumerConfig): Consumer;
  admin(): Admin;
  /** Returns connections and metadata only, for requests that cover many topics. Connect it before use. */
  cluster(): Cluster;
  /** Returns a single broker, for a request that it answers within `withinMs`: nothing is retried or logged. */
  brokerAt(broker: string, withinMs: number): Cluster;
}

/** Retries of about 12 s in total; after that a consumer starts anew, and a publisher reports the failure. */
const retry = { initialRetryTime: 100, multiplier: 2, maxRetryTime: 3_000, retries: 8 };

export function createKafka({ brokers, clientId, logger, security, clock = systemClock }: KafkaDeps): KafkaConnection {
  stopIdleWakeUps();
  acceptMissingTopics();
  expireMetadataAfterClockChange();
  endFetchersOfStopped();
  const log = createClientLog({ logger, clock });
  const config: KafkaConfig = {
    brokers: [...brokers],
    clientId,
    ...secured(security),
    // The default of kafkajs, 1 s, is too short for a busy machine or a distant network.
    connectionTimeout: 10_000,
    requestTimeout: 15_000,
    retry,
    logLevel: clientLogLevel(logger),
    logCreator: () => log.write,
  };
  // Each call gets a client of its own: kafkajs keeps committed offsets by group in the client, and two consumers of
  // one group would overwrite each other's.
  return {
    producer: (producerConfig) => {
      const producer = new Kafka(config).producer(producerConfig);
      producer.on(producer.events.REQUEST, ({ payload }) => log.answered(payload.broker));
      return producer;
    },
    consumer: (consumerConfig) => {
      const consumer = new Kafka(config).consumer(consumerConfig);
      consumer.on(consumer.events.REQUEST, ({ payload }) => log.answered(payload.broker));
      return consumer;
    },
    admin: () => {
      const admin = new Kafka(config).admin();
      admin.on(admin.events.REQUEST, ({ payload }) => log.answered(payload.broker));
      return admin;
    },
    cluster: () => clusterOf(new Kafka(config)),
    brokerAt: (broker, withinMs) =>
      clusterOf(
        new Kafka({
          ...config,
          brokers: [broker],
          connectionTimeout: withinMs,
          authenticationTimeout: withinMs,
          requestTimeout: withinMs,
          retry: { retries: 0 },
          logLevel: logLevel.NOTHING,
        }),
      ),
  };
}

function secured(security: KafkaSecurity | undefined): Pick<KafkaConfig, 'ssl' | 'sasl'> {
  const { tls, sasl } = security ?? {};
  return {
    ...(tls && {
      ssl: {
        rejectUnauthorized: true,
        ...(tls.ca !== undefined && { ca: [tls.ca] }),
        ...(tls.cert !== undefined && { cert: tls.cert }),
        ...(tls.key !== undefined && { key: tls.key }),
      },
    }),
    ...(sasl && { sasl: saslOptions(sasl) }),
  };
}

/** Returns the options by mechanism, as the types of kafkajs distinguish them. */
function saslOptions({ mechanism, username, password }: NonNullable<KafkaSecurity['sasl']>): SASLOptions {
  switch (mechanism) {
    case 'plain':
      return { mechanism, username, password };
    case 'scram-sha-256':
      return { mechanism, username, password };
    case 'scram-sha-512':
      return { mechanism, username, password };
  }
}

/** Returns the cluster, which kafkajs exposes to assigners only: this creates a consumer that never runs. */
function clusterOf(kafka: Kafka): Cluster {
  const clusters: Cluster[] = [];
  kafka.consumer({
    groupId: 'never-joined',
    allowAutoTopicCreation: false,
    metadataMaxAge: 10_000,
    partitionAssigners: [
      (given) => {
        clusters.push(given.cluster);
        return PartitionAssigners.roundRobin(given);
      },
    ],
  });
  const [cluster] = clusters;
  if (!cluster) throw new Error('kafkajs did not show its cluster');
  return cluster;
}
