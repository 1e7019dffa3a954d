import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { PublishError, type LaneReceiver, type MessageConsumer, type TopicSpec } from '../../ports/message-bus.ts';
import { createRecordingReceiver } from '../../../test/support/recording-receiver.ts';
import { createKafka } from '../client/connection.ts';
import { createConsumer } from './consumer.ts';
import { createPublisher } from '../publisher/publisher.ts';
import { createTopicAdmin } from '../cluster/topic-admin.ts';

const logger = pino({ level: 'silent' });
const laneHighMark = 8;
const maxFetchBytes = 64 * 1024;

function specOf(topic: string): TopicSpec {
  return { topic, partitions: 1, replicationFactor: 1 };
}

describe('the Kafka consumer', () => {
  const kafka = createKafka({ brokers: inject('kafkaBrokers').split(','), clientId: 'consumer-test', logger });
  const admin = createTopicAdmin({ kafka });
  const publisher = createPublisher({ kafka, logger });
  const consumers: MessageConsumer[] = [];
  let prefix: string;

  beforeEach(() => {
    prefix = `consumer-${randomUUID()}`;
  });

  afterEach(async () => {
    await Promise.all(consumers.splice(0).map((consumer) => consumer.stop()));
  });

  afterAll(async () => {
    await publisher.close();
    await admin.close();
  });

  function givenTopics(...topics: string[]): Promise<void> {
    return admin.ensureTopics(topics.map(specOf));
  }

  function consumerOf(...topics: string[]): MessageConsumer {
    const consumer = createConsumer({
      kafka,
      groupId: `${prefix}.group`,
      topics: topics.map(specOf),
      logger,
      laneHighMark,
    });
    consumers.push(consumer);
    return consumer;
  }

  it('fetches no more for a lane that is full, and goes on when its messages are settled', async () => {
    const [slow, quick] = [`${prefix}.slow`, `${prefix}.quick`];
    await givenTopics(slow, quick);
    // One request each, so that the broker keeps them apart; eight fill a fetch.
    const valueBytes = maxFetchBytes / 8;
    for (let i = 0; i < 60; i++) await publisher.publish([{ topic: slow, value: 'x'.repeat(valueBytes) }]);
    const receiver = createRecordingReceiver();
    const consumer = consumerOf(slow, quick);
    await consumer.start(receiver);
    const ofTopic = (topic: string) => receiver.delivered.filter(({ lane }) => lane.topic === topic);
    await receiver.until(() => ofTopic(slow).length >= laneHighMark);

    for (let round = 1; round <= 10; round++) {
      await publisher.publish([{ topic: quick, value: `${round}` }]);
      await receiver.until(() => ofTopic(quick).length === round);
      for (const message of ofTopic(quick)) consumer.settle(message);
    }
    expect(ofTopic(slow).length).toBeLessThanOrEqual(laneHighMark + maxFetchBytes / valueBytes);

    let settled = 0;
    while (settled < 60) {
      const fresh = ofTopic(slow).slice(settled);
      for (const message of fresh) consumer.settle(message);
      settled += fresh.length;
      if (settled < 60) await receiver.until(() => ofTopic(slow).length > settled);
    }
    expect(new Set(ofTopic(slow).map(({ offset }) => offset)).size).toBe(60);
  });

  it('says that it has died when its receiver throws, as nobody would hear of it otherwise', async () => {
    const topic = `${prefix}.topic`;
    await givenTopics(topic);
    await publisher.publish([{ topic, value: 'a' }]);
    const bug = new TypeError('a bug in the receiver');
    const receiver: LaneReceiver = {
      deliver: () => {
        throw bug;
      },
      revoke: () => undefined,
    };
    const consumer = consumerOf(topic);
    await consumer.start(receiver);
    expect((await consumer.crashed).cause).toBe(bug);
  });

  it('can be stopped while it starts', async () => {
    const topic = `${prefix}.topic`;
    await givenTopics(topic);
    const consumer = consumerOf(topic);
    const starting = consumer.start(createRecordingReceiver());
    const started = starting.then(
      () => true,
      () => false,
    );
    await consumer.stop();
    expect(await started).toBe(false);
    const next = createRecordingReceiver();
    await publisher.publish([{ topic, value: 'a' }]);
    await consumerOf(topic).start(next);
    await next.first(1);
  });

  it('goes on with its other topics while one is deleted, creates it anew, and takes what is published to it then', async () => {
    const [award, message] = [`${prefix}.award`, `${prefix}.message`];
    const sent = { [award]: 0, [message]: 0 };
    const publishing = createPublisher({ kafka, logger, topics: [specOf(award), specOf(message)] });
    await publishing.connect();
    const receiver = createRecordingReceiver();
    const consumer = consumerOf(award, message);
    await consumer.start(receiver);
    const distinct = (topic: string) =>
      new Set(receiver.delivered.filter(({ lane }) => lane.topic === topic).map(({ value }) => value?.toString())).size;

    async function send(topic: string): Promise<void> {
      const first = sent[topic] ?? 0;
      sent[topic] = first + 40;
      await publishing.publish(Array.from({ length: 40 }, (_, i) => ({ topic, value: `${first + i}` })));
    }
    async function arrived(topic: string): Promise<void> {
      // Settled at once, so that its lane is never full.
      let settled = 0;
      while (distinct(topic) < (sent[topic] ?? 0)) {
        for (const fresh of receiver.delivered.slice(settled)) consumer.settle(fresh);
        settled = receiver.delivered.length;
        await receiver.until(() => receiver.delivered.length > settled || distinct(topic) >= (sent[topic] ?? 0));
      }
      for (const fresh of receiver.delivered.slice(settled)) consumer.settle(fresh);
    }

    await Promise.all([send(award), send(message)]);
    await arrived(award);
    await arrived(message);

    const deleting = kafka.admin();
    await deleting.connect();
    await deleting.deleteTopics({ topics: [message] });
    await deleting.disconnect();
    for (let round = 0; round < 5; round++) {
      await send(award);
      await arrived(award);
    }
    expect([distinct(award), consumer.ready().ok]).toEqual([240, true]);

    // Only this consumer and this publisher create it.
    for (;;) {
      try {
        await send(message);
        break;
      } catch (error) {
        if (!(error instanceof PublishError)) throw error;
      }
    }
    await receiver.until(() => receiver.values().includes(`${(sent[message] ?? 0) - 1}`));
    await publishing.close();
  });

  it('leaves no partition to nobody while workers come and go that subscribe to different topics', async () => {
    const [award, message] = [`${prefix}.award`, `${prefix}.message`];
    await admin.ensureTopics([award, message].map((topic) => ({ topic, partitions: 4, replicationFactor: 1 })));
    const first = createRecordingReceiver();
    const leader = consumerOf(award);
    await leader.start(first);
    const second = createRecordingReceiver();
    await consumerOf(message).start(second);
    const third = createRecordingReceiver();
    await consumerOf(award, message).start(third);
    const ofThird = () => third.delivered.map(({ lane }) => lane.topic);
    await leader.stop();
    await publisher.publish(Array.from({ length: 40 }, (_, i) => ({ topic: award, value: `award-${i}` })));
    await publisher.publish(Array.from({ length: 40 }, (_, i) => ({ topic: message, value: `message-${i}` })));
    await third.until(() => ofThird().filter((topic) => topic === award).length === 40);
    await third.until(() => ofThird().filter((topic) => topic === message).length >= 20);
    await second.until(() => second.delivered.length >= 20);
  });

  it('has left its group when it has stopped, also where another one leaves at the same moment', async () => {
    const topic = `${prefix}.topic`;
    await givenTopics(topic);
    const pair = [consumerOf(topic), consumerOf(topic)];
    await Promise.all(pair.map((consumer) => consumer.start(createRecordingReceiver())));
    await Promise.all(pair.map((consumer) => consumer.stop()));
    const client = kafka.admin();
    await client.connect();
    const { groups } = await client.describeGroups([`${prefix}.group`]);
    await client.disconnect();
    expect(groups.map(({ members }) => members)).toEqual([[]]);
  });
});
