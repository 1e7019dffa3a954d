import { callsTopic } from '../../shared/domain/endpoint/call-topics.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { requireBrokerOnce } from '../../shared/kafka/cluster/broker-check.ts';
import { topicsOfFile } from '../../shared/runtime/installation/shard-topics.ts';
import { createTopicAdmin } from '../../shared/kafka/cluster/topic-admin.ts';
import type { TopicSpec } from '../../shared/ports/message-bus.ts';
import { readEngineConfig } from '../../shared/runtime/configuration/engine-config-file.ts';
import { commonEnvironment, readEnvironment, region } from '../../shared/runtime/configuration/environment.ts';
import { readKafkaSecurity, type KafkaSettings } from '../../shared/runtime/configuration/kafka-security.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';

export const topicsEnvironment = commonEnvironment.pick({ KAFKA_BROKERS: true, MUSTER_TOPIC_PREFIX: true }).extend({
  MUSTER_REGION: region,
});

export async function ensureTopics(context: CommandContext): Promise<ExitCode> {
  const environment = readEnvironment(topicsEnvironment, context.environment);
  const { MUSTER_TOPIC_PREFIX: prefix, MUSTER_REGION: region } = environment;
  const engine = readEngineConfig(context.environment);
  const { partitionsPerShard: partitions, replicationFactor } = engine;
  const calls = { topic: callsTopic(prefix, region), partitions, replicationFactor };
  const topics = [...topicsOfFile(engine, prefix), calls];
  const security = readKafkaSecurity(context.environment);
  await createTopics({ brokers: environment.KAFKA_BROKERS, security }, topics);
  writeData(context, { topics }, () =>
    topics.map(({ topic, partitions }) => `${topic} ${partitions} partitions\n`).join(''),
  );
  return exitCodes.ok;
}

/** @throws {ConfigurationError} with one line if no broker answers */
export async function createTopics(settings: KafkaSettings, topics: readonly TopicSpec[]): Promise<void> {
  // Silent: errors are thrown, and the command line has no log.
  const kafka = createKafka({ ...settings, clientId: 'muster-cli', logger: createLogger('cli', 'silent') });
  await requireBrokerOnce({ kafka, brokers: settings.brokers });
  const admin = createTopicAdmin({ kafka });
  try {
    await admin.ensureTopics(topics);
  } finally {
    await admin.close();
  }
}
