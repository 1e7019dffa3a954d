import {
  Kafka,
  logLevel,
  type Admin,
  type Consumer,
  type ConsumerConfig,
  type KafkaConfig,
  type LogEntry,
} from 'kafkajs';
import type { Producer, ProducerConfig } from 'kafkajs';
import type { Logger } from '../runtime/logger.ts';
import { stopIdleWakeUps } from './throttle-fix.ts';

export interface KafkaDeps {
  /** `host:port` each; one that answers is enough to find the others. */
  brokers: readonly string[];
  /** How the brokers' logs and quotas call this process. */
  clientId: string;
  logger: Logger;
}

/** Where clients of one cluster come from. */
export interface KafkaConnection {
  producer(config: ProducerConfig): Producer;
  consumer(config: ConsumerConfig): Consumer;
  admin(): Admin;
}

/** About 12 s altogether; a consumer begins anew after that, a publisher says that it could not publish. */
const retry = { initialRetryTime: 100, multiplier: 2, maxRetryTime: 3_000, retries: 8 };

export function createKafka({ brokers, clientId, logger }: KafkaDeps): KafkaConnection {
  stopIdleWakeUps();
  const config: KafkaConfig = {
    brokers: [...brokers],
    clientId,
    // kafkajs allows 1 s, which a busy machine or a far network does not keep.
    connectionTimeout: 10_000,
    requestTimeout: 15_000,
    retry,
    logLevel: clientLogLevel(logger),
    logCreator: () => (entry) => logEntry(logger, entry),
  };
  // A client each: kafkajs keeps committed offsets by group in the client, and two consumers of one group would wipe out each other's.
  return {
    producer: (producerConfig) => new Kafka(config).producer(producerConfig),
    consumer: (consumerConfig) => new Kafka(config).consumer(consumerConfig),
    admin: () => new Kafka(config).admin(),
  };
}

/** kafkajs builds no entry above its level; its *info* has a line for every pause of a partition, so that is our *debug*. */
function clientLogLevel(logger: Logger): logLevel {
  if (logger.isLevelEnabled('trace')) return logLevel.DEBUG;
  if (logger.isLevelEnabled('debug')) return logLevel.INFO;
  return logLevel.WARN;
}

/** What brokers answer while leaders, coordinators and groups find themselves; kafkajs asks again, and shouts ERROR meanwhile. */
const passing = [
  'The group coordinator is not available',
  "The coordinator is loading and hence can't process requests for this group",
  'This is not the correct coordinator for this group',
  'The group is rebalancing',
  'The coordinator is not aware of this member',
  'Specified group generation id is not valid',
  'This server is not the leader for that topic-partition',
  'This server does not host this topic-partition',
  'There is no leader for this topic-partition',
];

/**
 * Nothing that kafkajs says is an *error* here: what it cannot heal reaches the caller as a rejection, or the consumer as its crash, and is
 * logged there.
 */
function logEntry(logger: Logger, { level, namespace, log }: LogEntry): void {
  const { timestamp: _timestamp, logger: _name, message, stack: _stack, ...facts } = log;
  const fields = { part: namespace, said: message, ...facts };
  if (level === logLevel.DEBUG) logger.trace(fields, 'kafka client');
  else if (level === logLevel.INFO || isPassing(message, log['error'])) logger.debug(fields, 'kafka client');
  else logger.warn(fields, 'kafka client');
}

function isPassing(message: string, error: unknown): boolean {
  return passing.some((known) => message.includes(known) || (typeof error === 'string' && error.startsWith(known)));
}
