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

/** How a cluster is talked to that is not open to everybody. Certificates and keys are PEM texts, not paths. */
export interface KafkaSecurity {
  /**
   * There: TLS, and the broker's certificate has to be valid for its name. An empty object trusts the system's
   * authorities.
   */
  tls?: {
    /** The authorities to trust in place of the system's. */
    ca?: string;
    /** This client's own certificate and key, where the broker asks for one. */
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
  /** `host:port` each; one that answers is enough to find the others. */
  brokers: readonly string[];
  /** How the brokers' logs and quotas call this process. */
  clientId: string;
  logger: Logger;
  security?: KafkaSecurity | undefined;
  clock?: Pick<Clock, 'monotonicMs'>;
}

/** Where clients of one cluster come from. */
export interface KafkaConnection {
  producer(config: ProducerConfig): Producer;
  consumer(config: ConsumerConfig): Consumer;
  admin(): Admin;
  /**
   * Connections and metadata alone, for questions that kafkajs' own clients ask topic by topic. Connect it before use.
   */
  cluster(): Cluster;
  /** One broker alone, for a request that it answers within `withinMs` or not at all: none is repeated or logged. */
  brokerAt(broker: string, withinMs: number): Cluster;
}

/** About 12 s altogether; a consumer begins anew after that, a publisher says that it could not publish. */
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
    // kafkajs allows 1 s, which a busy machine or a far network does not keep.
    connectionTimeout: 10_000,
    requestTimeout: 15_000,
    retry,
    logLevel: clientLogLevel(logger),
    logCreator: () => log.write,
  };
  // A client each: kafkajs keeps committed offsets by group in the client, and two consumers of one group would wipe
  // out each other's.
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

/** One by one, as kafkajs' types tell the mechanisms apart. */
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

/** kafkajs shows its cluster to assigners only: a consumer that never runs is made for its sake. */
function clusterOf(kafka: Kafka): Cluster {
  const shown: Cluster[] = [];
  kafka.consumer({
    groupId: 'never-joined',
    allowAutoTopicCreation: false,
    metadataMaxAge: 10_000,
    partitionAssigners: [
      (given) => {
        shown.push(given.cluster);
        return PartitionAssigners.roundRobin(given);
      },
    ],
  });
  const [cluster] = shown;
  if (!cluster) throw new Error('kafkajs did not show its cluster');
  return cluster;
}
