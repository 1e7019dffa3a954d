import { randomBytes } from 'node:crypto';
import { createKafka } from '../../../shared/kafka/client/connection.ts';
import { createLogger } from '../../../shared/runtime/logger.ts';

export interface Replay {
  /** Resolves with the number of messages sent again. */
  stop(): Promise<number>;
}

const messagesAtOnce = 5;

/**
 * Reads topics as another consumer group and sends a share of their messages again: some after later ones, and to other
 * partitions.
 */
export async function startReplay(kafkaBrokers: string, topics: readonly string[], share: number): Promise<Replay> {
  const logger = createLogger('faults', 'silent');
  const kafka = createKafka({ brokers: kafkaBrokers.split(','), clientId: 'replay', logger });
  const consumer = kafka.consumer({ groupId: `replay-${randomBytes(4).toString('hex')}` });
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  const held: { topic: string; partition: number; value: Buffer | null }[] = [];
  // Messages that were sent again are not sent a third time.
  const own = new Set<string>();
  let seen = 0;
  let replayed = 0;

  async function sendAgain(): Promise<void> {
    const message = held.pop();
    if (!message) return;
    const { topic, partition, value } = message;
    const [stored] = await producer.send({ topic, acks: -1, messages: [{ partition: (partition + 1) % 4, value }] });
    own.add(`${topic}/${stored?.partition ?? 0}/${stored?.baseOffset ?? ''}`);
    replayed++;
  }

  await Promise.all([consumer.connect(), producer.connect()]);
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ topic, partition, message }) => {
      if (own.has(`${topic}/${partition}/${message.offset}`)) return;
      if (seen++ % Math.round(1 / share) !== 0) return;
      held.push({ topic, partition, value: message.value });
      // The messages are taken from the end, so that the newest is sent first.
      if (held.length >= messagesAtOnce) for (let i = 0; i < messagesAtOnce; i++) await sendAgain();
    },
  });
  return {
    stop: async () => {
      await consumer.disconnect();
      while (held.length > 0) await sendAgain();
      await producer.disconnect();
      return replayed;
    },
  };
}
