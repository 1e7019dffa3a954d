import { randomUUID } from 'node:crypto';
import { ConfigResourceTypes, type Admin } from 'kafkajs';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { PublishError } from '../ports/message-bus.ts';
import { createKafka, type KafkaConnection } from './client/connection.ts';
import { createPublisher, type Publisher } from './publisher/publisher.ts';
import { createTopicAdmin } from './cluster/topic-admin.ts';

const logger = pino({ level: 'silent' });

/** Each test is a behaviour of Kafka 4 on which Muster depends, tested through kafkajs 2.2.4 and little else. */
describe('kafkajs with this version of Kafka', () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  let kafka: KafkaConnection;
  let admin: Admin;
  let topic: string;

  beforeAll(async () => {
    process.on('warning', onWarning);
    kafka = createKafka({ brokers: inject('kafkaBrokers').split(','), clientId: 'compatibility-test', logger });
    admin = kafka.admin();
    await admin.connect();
  });

  beforeEach(() => {
    topic = `compatibility-${randomUUID()}`;
  });

  afterAll(async () => {
    await admin.disconnect();
    process.off('warning', onWarning);
  });

  async function givenTopic(partitions: number): Promise<void> {
    const topicAdmin = createTopicAdmin({ kafka });
    await topicAdmin.ensureTopics([{ topic, partitions, replicationFactor: 1 }]);
    await topicAdmin.close();
  }

  async function publishing(work: (publisher: Publisher) => Promise<void>, through = kafka): Promise<void> {
    const publisher = createPublisher({ kafka: through, logger });
    try {
      await work(publisher);
    } finally {
      await publisher.close();
    }
  }

  async function highOffsets(): Promise<string[]> {
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.sort((a, b) => a.partition - b.partition).map(({ high }) => high);
  }

  it('creates topics with their configuration', async () => {
    await givenTopic(2);
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [
        { type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['min.insync.replicas', 'retention.ms'] },
      ],
    });
    const values = resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]);
    expect(Object.fromEntries(values ?? [])).toEqual({ 'min.insync.replicas': '1', 'retention.ms': '604800000' });
  });

  it('acknowledges a message with its partition and offset', async () => {
    await givenTopic(1);
    const producer = kafka.producer({ createPartitioner: () => () => 0 });
    await producer.connect();
    const answer = await producer.send({ topic, acks: -1, messages: [{ value: 'a' }] });
    await producer.disconnect();
    expect(answer).toMatchObject([{ topicName: topic, partition: 0, errorCode: 0, baseOffset: '0' }]);
  });

  it('commits offsets of a group and reads them back', async () => {
    await givenTopic(1);
    await publishing((publisher) => publisher.publish([{ topic, value: 'a' }]));
    const groupId = `${topic}.group`;
    const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 20 });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const consumed = new Promise<string>((resolve) => {
      void consumer.run({
        autoCommit: false,
        eachBatch: ({ batch }) => {
          resolve(batch.lastOffset());
          return Promise.resolve();
        },
      });
    });
    expect(await consumed).toBe('0');
    await consumer.commitOffsets([{ topic, partition: 0, offset: '1' }]);
    await consumer.disconnect();
    const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
    expect(committed?.partitions).toMatchObject([{ partition: 0, offset: '1' }]);
  });

  it('adds partitions to a topic', async () => {
    await givenTopic(1);
    await givenTopic(4);
    expect(await highOffsets()).toHaveLength(4);
  });

  it('drops messages for an unknown partition without an error', async () => {
    await givenTopic(1);
    const producer = kafka.producer({ createPartitioner: () => () => 7 });
    await producer.connect();
    const answer = await producer.send({ topic, acks: -1, messages: [{ value: 'lost' }] });
    await producer.disconnect();
    expect(answer).toEqual([]);
    expect(await highOffsets()).toEqual(['0']);
  });

  it('leads to a publish error if kafkajs drops a message', async () => {
    await givenTopic(1);
    const dropping: KafkaConnection = {
      ...kafka,
      producer: (config) => kafka.producer({ ...config, createPartitioner: () => () => 7 }),
    };
    await publishing(
      (publisher) => expect(publisher.publish([{ topic, value: 'a' }])).rejects.toThrow(PublishError),
      dropping,
    );
  });

  it('can publish to a topic that was created again with fewer partitions', async () => {
    await givenTopic(3);
    await publishing(async (publisher) => {
      await publisher.publish([{ topic, value: '0' }]);
      await admin.deleteTopics({ topics: [topic] });
      await givenTopic(1);
      await publisher.publish([
        { topic, value: '1' },
        { topic, value: '2' },
      ]);
    });
    const [high] = await highOffsets();
    expect(Number(high)).toBeGreaterThanOrEqual(2);
  });

  it('can publish to other topics after one was deleted', async () => {
    await givenTopic(1);
    const deleted = topic;
    topic = `${deleted}.other`;
    await givenTopic(1);
    await publishing(async (publisher) => {
      await publisher.publish([{ topic: deleted, value: 'a' }]);
      await admin.deleteTopics({ topics: [deleted] });
      // A broker accepts messages until the controller has notified it that the topic is deleted.
      for (;;) {
        const failure = await publisher.publish([{ topic: deleted, value: 'a' }]).catch((error: unknown) => error);
        if (failure instanceof PublishError) break;
        expect(failure).toBeUndefined();
      }
      await publisher.publish([{ topic, value: 'a' }]);
    });
    expect(await highOffsets()).toEqual(['1']);
  });

  it('causes no warning of Node', () => {
    expect(warnings).toEqual([]);
  });
});
