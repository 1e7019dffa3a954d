import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { inject } from 'vitest';
import type { MessageConsumer } from '../ports/message-bus.ts';
import { describeMessageBus } from '../../test/support/conformance/message-bus.conformance.ts';
import { createKafka, type KafkaConnection } from './client/connection.ts';
import { createConsumer } from './consumer/consumer.ts';
import { createPublisher } from './publisher/publisher.ts';
import { createTopicBacklogs } from './cluster/topic-backlogs.ts';
import { createTopicAdmin } from './cluster/topic-admin.ts';

const logger = pino({ level: 'silent' });
const metadataMaxAgeMs = 300;
const laneHighMark = 16;

describeMessageBus('on Kafka', () => {
  const kafka = createKafka({ brokers: inject('kafkaBrokers').split(','), clientId: 'message-bus-test', logger });
  const admin = createTopicAdmin({ kafka });
  const publisher = createPublisher({ kafka, logger, metadataMaxAgeMs });
  const backlogs: { close(): Promise<void> }[] = [];
  const deleting = kafka.admin();
  const killed = new Set<MessageConsumer>();

  return Promise.resolve({
    publisher,
    admin,
    createConsumer: (groupId, topics) => {
      const consumer: MessageConsumer = createConsumer({
        kafka: withoutCommits(kafka, () => killed.has(consumer)),
        groupId,
        topics: topics.map((topic) => ({ topic, partitions: 1, replicationFactor: 1 })),
        logger,
        metadataMaxAgeMs,
        laneHighMark,
        commitIntervalMs: 50,
      });
      return consumer;
    },
    crash: (consumer) => {
      killed.add(consumer);
      return consumer.stop();
    },
    backlogs: (groupId) => {
      const created = createTopicBacklogs({ kafka, groupId, logger });
      backlogs.push(created);
      return created;
    },
    deleteTopic: async (topic) => {
      await deleting.connect();
      await deleting.deleteTopics({ topics: [topic] });
    },
    laneHighMark,
    prefix: `bus-${randomUUID()}`,
    close: async () => {
      await publisher.close();
      await admin.close();
      await deleting.disconnect();
      await Promise.all(backlogs.map((opened) => opened.close()));
    },
  });
});

/** Returns a connection whose consumers commit no offsets once `dead` returns true. */
function withoutCommits(kafka: KafkaConnection, dead: () => boolean): KafkaConnection {
  return {
    ...kafka,
    consumer: (config) => {
      const consumer = kafka.consumer(config);
      return {
        ...consumer,
        commitOffsets: (offsets) => (dead() ? Promise.resolve() : consumer.commitOffsets(offsets)),
      };
    },
  };
}
