import { Partitioners } from 'kafkajs';
import type { LetterBytes } from '../../ports/dead-letters.ts';
import type { KafkaConnection } from '../client/connection.ts';

/** Creates a publisher of raw bytes. It connects for each use, because uses are rare. */
export function createLetterPublisher({ kafka }: { kafka: KafkaConnection }) {
  return {
    publish: async (letters: readonly LetterBytes[]): Promise<void> => {
      if (letters.length === 0) return;
      const producer = kafka.producer({
        createPartitioner: Partitioners.DefaultPartitioner,
        allowAutoTopicCreation: false,
        retry: { retries: 2 },
      });
      try {
        await producer.connect();
        for (const { topic, key, value } of letters) {
          const answer = await producer.send({ topic, acks: -1, messages: [{ key, value }] });
          // kafkajs resolves as if it had succeeded when it has dropped a message.
          if (!answer.some(({ errorCode }) => errorCode === 0)) throw new Error(`no acknowledgement from ${topic}`);
        }
      } finally {
        await producer.disconnect().catch(() => undefined);
      }
    },
  };
}
