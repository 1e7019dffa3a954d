import { randomUUID } from 'node:crypto';
import type { ConsumerConfig } from 'kafkajs';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { PublishError, type LaneReceiver, type MessageConsumer, type TopicSpec } from '../../ports/message-bus.ts';
import { createRecordingReceiver, type RecordingReceiver } from '../../../test/support/recording-receiver.ts';
import { createKafka } from '../client/connection.ts';
import { createConsumer, type ConsumerDeps } from './consumer.ts';
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
    return consumerWith({ topics: topics.map(specOf) });
  }

  function consumerWith(more: Pick<ConsumerDeps, 'topics'> & Partial<ConsumerDeps>): MessageConsumer {
    const consumer = createConsumer({ kafka, groupId: `${prefix}.group`, logger, laneHighMark, ...more });
    consumers.push(consumer);
    return consumer;
  }

  /** The broker holds fetches for longer than a test may take while there are no messages. */
  function waitingConsumerOf(spec: TopicSpec, through = kafka): MessageConsumer {
    const fetch = { gatherMs: 5, maxBytesPerPartition: 8192, idleMs: 300_000 };
    return consumerWith({ kafka: through, topics: [spec], fetch });
  }

  /** Its messages are settled at once, so that no lane is ever full. */
  async function startSettling(consumer: MessageConsumer): Promise<RecordingReceiver> {
    const receiver = createRecordingReceiver();
    await consumer.start({
      deliver: (lane, messages) => {
        receiver.deliver(lane, messages);
        for (const message of messages) consumer.settle(message);
      },
      revoke: (lane) => receiver.revoke(lane),
      isCrowded: () => false,
    });
    return receiver;
  }

  /** Resolves when all receivers together have this number of different messages with this beginning. */
  async function arrivedAt(receivers: readonly RecordingReceiver[], beginning: string, count: number): Promise<void> {
    const all = () => new Set(receivers.flatMap((receiver) => receiver.values()));
    const isThere = () => [...all()].filter((value) => value.startsWith(beginning)).length >= count;
    await Promise.race(receivers.map((receiver) => receiver.until(isThere)));
  }

  it('stops fetching for a full partition buffer, and continues when its messages are settled', async () => {
    const [slow, quick] = [`${prefix}.slow`, `${prefix}.quick`];
    await givenTopics(slow, quick);
    // One request per message, so that the broker stores them separately; eight fill a fetch.
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

  it('reports its crash if its receiver throws', async () => {
    const topic = `${prefix}.topic`;
    await givenTopics(topic);
    await publisher.publish([{ topic, value: 'a' }]);
    const bug = new TypeError('a bug in the receiver');
    const receiver: LaneReceiver = {
      deliver: () => {
        throw bug;
      },
      revoke: () => undefined,
      isCrowded: () => false,
    };
    const consumer = consumerOf(topic);
    await consumer.start(receiver);
    expect((await consumer.crashed).cause).toBe(bug);
  });

  it('can be stopped during its start', async () => {
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

  it('serves other topics while one is deleted, creates the topic again, and reads its new messages', async () => {
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

  it('leaves no partition unassigned while members with different topics join and leave', async () => {
    const [award, message] = [`${prefix}.award`, `${prefix}.message`];
    await admin.ensureTopics([award, message].map((topic) => ({ topic, partitions: 4, replicationFactor: 1 })));
    const leader = consumerOf(award);
    await startSettling(leader);
    const second = await startSettling(consumerOf(message));
    const third = await startSettling(consumerOf(award, message));
    await leader.stop();
    await publisher.publish(Array.from({ length: 40 }, (_, i) => ({ topic: award, value: `award-${i}` })));
    await publisher.publish(Array.from({ length: 40 }, (_, i) => ({ topic: message, value: `message-${i}` })));
    await arrivedAt([third], 'award', 40);
    await arrivedAt([second, third], 'message', 40);
    await Promise.all([second, third].map((receiver) => arrivedAt([receiver], 'message', 1)));
  });

  it('notices a new member during a long fetch, and reads messages of its partitions afterwards', async () => {
    const spec = { ...specOf(`${prefix}.topic`), partitions: 4 };
    const first = await startSettling(waitingConsumerOf(spec));
    const second = await startSettling(waitingConsumerOf(spec));
    await first.until(() => first.revoked.length === 4);
    await publisher.publish(Array.from({ length: 40 }, (_, i) => ({ topic: spec.topic, value: `value-${i}` })));
    await arrivedAt([first, second], 'value', 40);
    await Promise.all([first, second].map((receiver) => arrivedAt([receiver], 'value', 1)));
  });

  it('reads partitions that were added during a long fetch', async () => {
    const spec = specOf(`${prefix}.topic`);
    const receiver = createRecordingReceiver();
    const consumer = waitingConsumerOf(spec);
    await consumer.start(receiver);
    await consumer.subscribe([{ ...spec, partitions: 2 }]);
    await receiver.until(() => receiver.revoked.length > 0);
    await publisher.publish(Array.from({ length: 40 }, (_, i) => ({ topic: spec.topic, value: `${i}` })));
    await receiver.until(() => new Set(receiver.delivered.map(({ lane }) => lane.partition)).size === 2);
  });

  it('leaves its group at once during a long fetch', async () => {
    const beats = Promise.withResolvers<null>();
    const watched = (config: ConsumerConfig) => {
      const client = kafka.consumer(config);
      client.on(client.events.REQUEST, ({ payload: { apiName } }) => {
        if (apiName === 'Heartbeat') beats.resolve(null);
      });
      return client;
    };
    const consumer = waitingConsumerOf(specOf(`${prefix}.topic`), { ...kafka, consumer: watched });
    await consumer.start(createRecordingReceiver());
    // The fetch has no answer then, otherwise it would have been repeated.
    await beats.promise;
    await consumer.stop();
    expect(await membersOfGroup()).toEqual([[]]);
  });

  it('has left its group after it stopped, even if another member leaves at the same moment', async () => {
    const topic = `${prefix}.topic`;
    await givenTopics(topic);
    const pair = [consumerOf(topic), consumerOf(topic)];
    await Promise.all(pair.map((consumer) => consumer.start(createRecordingReceiver())));
    await Promise.all(pair.map((consumer) => consumer.stop()));
    expect(await membersOfGroup()).toEqual([[]]);
  });

  async function membersOfGroup() {
    const client = kafka.admin();
    await client.connect();
    const { groups } = await client.describeGroups([`${prefix}.group`]);
    await client.disconnect();
    return groups.map(({ members }) => members);
  }
});
