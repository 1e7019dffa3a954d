import { randomUUID } from 'node:crypto';
import type { ConsumerConfig } from 'kafkajs';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createRecordingReceiver } from '../../../test/support/recording-receiver.ts';
import type { MessageConsumer, TopicSpec } from '../../ports/message-bus.ts';
import { createKafka } from '../client/connection.ts';
import { createPublisher } from '../publisher/publisher.ts';
import { createConsumer, type ConsumerDeps } from './consumer.ts';
import { heartbeatIntervalMs } from './waiting-fetches.ts';

const logger = pino({ level: 'silent' });
const hourMs = 3_600_000;

describe('a Kafka consumer with unsettled messages after the wall clock was set back by an hour', () => {
  const kafka = createKafka({ brokers: inject('kafkaBrokers').split(','), clientId: 'clock-test', logger });
  const publisher = createPublisher({ kafka, logger });
  const consumers: MessageConsumer[] = [];
  let spec: TopicSpec;

  beforeEach(() => {
    spec = { topic: `clock-${randomUUID()}`, partitions: 2, replicationFactor: 1 };
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all(consumers.splice(0).map((consumer) => consumer.stop()));
  });

  afterAll(() => publisher.close());

  function consumerWith(more: Pick<ConsumerDeps, 'sessionTimeoutMs'> & Partial<ConsumerDeps>): MessageConsumer {
    const consumer = createConsumer({ kafka, groupId: `${spec.topic}.group`, topics: [spec], logger, ...more });
    consumers.push(consumer);
    return consumer;
  }

  /** Resolves when the consumer has a message that is not settled. */
  async function makeBusy(consumer: MessageConsumer) {
    const receiver = createRecordingReceiver();
    await consumer.start(receiver);
    await publisher.publish([{ topic: spec.topic, value: 'long work' }]);
    await receiver.first(1);
    return receiver;
  }

  function setClockBack(): void {
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() - hourMs);
  }

  it('joins its group again when another member joins', async () => {
    const sessionTimeoutMs = 20_000;
    await makeBusy(consumerWith({ sessionTimeoutMs }));
    setClockBack();
    const second = consumerWith({ sessionTimeoutMs });
    await second.start(createRecordingReceiver());
    // Brokers give both partitions to the second member if the first one has not joined again in time.
    expect(second.stats().map(({ lanes }) => lanes)).toEqual([1]);
  });

  it('stays in its group beyond its session time-out by one heartbeat a second', async () => {
    const sessionTimeoutMs = 6000;
    const beats = Math.ceil(sessionTimeoutMs / heartbeatIntervalMs) + 2;
    let answered = 0;
    let startedAtMs = Infinity;
    const enough = Promise.withResolvers<number>();
    const watched = (config: ConsumerConfig) => {
      const client = kafka.consumer(config);
      client.on(client.events.REQUEST, ({ payload: { apiName } }) => {
        if (apiName === 'Heartbeat' && performance.now() > startedAtMs) answered += 1;
        if (answered === beats) enough.resolve(performance.now() - startedAtMs);
      });
      return client;
    };
    const receiver = await makeBusy(consumerWith({ kafka: { ...kafka, consumer: watched }, sessionTimeoutMs }));
    setClockBack();
    startedAtMs = performance.now();
    expect(await enough.promise).toBeGreaterThan(sessionTimeoutMs);
    expect(receiver.revoked).toEqual([]);
  });
});
