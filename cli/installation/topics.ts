import { z } from 'zod';
import { createKafka } from '../../shared/kafka/connection.ts';
import { requiredTopics } from '../../shared/kafka/required-topics.ts';
import { createTopicAdmin } from '../../shared/kafka/topic-admin.ts';
import type { TopicSpec } from '../../shared/ports/message-bus.ts';
import { readEngineConfig } from '../../shared/runtime/engine-config-file.ts';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/environment.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { writeData, type CommandContext } from '../command-context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';

const topicsEnvironment = commonEnvironment
  .pick({ KAFKA_BROKERS: true, MUSTER_TOPIC_PREFIX: true, LOG_LEVEL: true })
  .extend({ MUSTER_CONFIG: z.string() });

export async function ensureTopics(context: CommandContext): Promise<ExitCode> {
  const environment = readEnvironment(topicsEnvironment, context.environment);
  const topics = requiredTopics(readEngineConfig(environment.MUSTER_CONFIG), environment.MUSTER_TOPIC_PREFIX);
  await createTopics(environment.KAFKA_BROKERS, topics, environment.LOG_LEVEL);
  writeData(context, { topics }, () =>
    topics.map(({ topic, partitions }) => `${topic} ${partitions} partitions\n`).join(''),
  );
  return exitCodes.ok;
}

export async function createTopics(
  brokers: readonly string[],
  topics: readonly TopicSpec[],
  logLevel: string,
): Promise<void> {
  const kafka = createKafka({ brokers, clientId: 'muster-cli', logger: createLogger('cli', logLevel) });
  const admin = createTopicAdmin({ kafka });
  try {
    await admin.ensureTopics(topics);
  } finally {
    await admin.close();
  }
}
