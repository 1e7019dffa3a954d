import { randomUUID } from 'node:crypto';
import { ConfigResourceTypes, type Admin } from 'kafkajs';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createRecordingReceiver } from '../../../test/support/recording-receiver.ts';
import { PublishError } from '../../ports/message-bus.ts';
import { createKafka } from '../client/connection.ts';
import { createConsumer } from '../consumer/consumer.ts';
import { createPublisher, type Publisher } from './publisher.ts';
import { createTopicAdmin } from '../cluster/topic-admin.ts';

const logger = pino({ level: 'silent' });

describe('the Kafka publisher', () => {
  const kafka = createKafka({ brokers: inject('kafkaBrokers').split(','), clientId: 'publisher-test', logger });
  const topicAdmin = createTopicAdmin({ kafka });
  const opened: { close(): Promise<void> }[] = [];
  let admin: Admin;
  let topic: string;

  beforeAll(async () => {
    admin = kafka.admin();
    await admin.connect();
  });

  beforeEach(() => {
    topic = `publisher-${randomUUID()}`;
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });

  afterAll(async () => {
    await Promise.all([topicAdmin.close(), admin.disconnect()]);
  });

  function givenTopic(named: string, partitions = 1): Promise<void> {
    return topicAdmin.ensureTopics([{ topic: named, partitions, replicationFactor: 1 }]);
  }

  function publisherOf(deps: Partial<Parameters<typeof createPublisher>[0]> = {}): Publisher {
    const publisher = createPublisher({ kafka, logger, ...deps });
    opened.push(publisher);
    return publisher;
  }

  /**
   * Makes a topic unwritable by a maximum message size that every batch exceeds. (A single broker cannot lack
   * replicas.)
   */
  async function setWritable(named: string, writable: boolean): Promise<void> {
    await admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.TOPIC,
          name: named,
          configEntries: [{ name: 'max.message.bytes', value: writable ? '1048588' : '1' }],
        },
      ],
    });
  }

  async function stored(named: string): Promise<number[]> {
    const offsets = await admin.fetchTopicOffsets(named);
    return offsets.sort((a, b) => a.partition - b.partition).map(({ high }) => Number(high));
  }

  it('writes each message once, to a healthy topic at once and to an unwritable topic later', async () => {
    const bad = `${topic}.bad`;
    await Promise.all([givenTopic(topic), givenTopic(bad)]);
    await setWritable(bad, false);
    const publisher = publisherOf();
    const lost = publisher.publish([{ topic: bad, value: 'lost' }]).catch((error: unknown) => error);
    expect(await lost).toBeInstanceOf(PublishError);
    for (let i = 0; i < 20; i++) {
      const failure = await publisher
        .publish([
          { topic: bad, value: `${i}` },
          { topic, value: `${i}` },
        ])
        .catch((error: unknown) => error);
      expect(failure instanceof PublishError && failure.topics).toEqual([bad]);
    }
    expect(await stored(topic)).toEqual([20]);

    await setWritable(bad, true);
    for (;;) {
      const failure = await publisher.publish([{ topic: bad, value: 'back' }]).catch((error: unknown) => error);
      if (!(failure instanceof PublishError)) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it('creates its configured topics, and creates a deleted topic again', async () => {
    const publisher = publisherOf({ topics: [{ topic, partitions: 2, replicationFactor: 1 }] });
    await publisher.connect();
    await publisher.publish([{ topic, value: 'a' }]);
    await admin.deleteTopics({ topics: [topic] });
    for (;;) {
      const failure = await publisher.publish([{ topic, value: 'b' }]).catch((error: unknown) => error);
      if (!(failure instanceof PublishError)) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await stored(topic)).toHaveLength(2);
  });

  it('places messages on the partition whose messages are handled', async () => {
    await givenTopic(topic, 2);
    const groupId = `${topic}.group`;
    let nowMs = 0;
    const clock = { monotonicMs: () => nowMs, sleep: () => Promise.resolve() };
    const publisher = publisherOf({ consumedBy: groupId, clock });
    const receiver = createRecordingReceiver();
    const consumer = createConsumer({
      kafka,
      groupId,
      topics: [{ topic, partitions: 2, replicationFactor: 1 }],
      logger,
      commitIntervalMs: 50,
    });
    opened.push({ close: () => consumer.stop() });
    await consumer.start({
      ...receiver,
      deliver: (lane, messages) => {
        receiver.deliver(lane, messages);
        // The worker of the other partition does nothing.
        if (lane.partition === 0) for (const message of messages) consumer.settle(message);
      },
    });
    await publisher.publish(Array.from({ length: 40 }, (_, i) => ({ topic, value: `${i}` })));
    await receiver.until(() => receiver.delivered.filter(({ lane }) => lane.partition === 0).length >= 20);

    const handledOfFirst = async () => {
      const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
      return Number(found?.partitions.find(({ partition }) => partition === 0)?.offset);
    };
    const [busy = 0, idle = 0] = await stored(topic);
    let handled = busy;
    let inARow = 0;
    while (inARow < 10) {
      // A consumer that is slow for a moment makes the other partition look equally good.
      await expect.poll(handledOfFirst).toBe(handled);
      nowMs += 1_000;
      await publisher.publish([{ topic, value: 'next' }]);
      const [first = 0, second = 0] = await stored(topic);
      inARow = first > handled ? inARow + 1 : 0;
      handled = first;
      expect(second).toBeLessThan(idle + 20);
    }
  });
});
