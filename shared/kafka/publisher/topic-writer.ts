import kafkajs, { Partitioners, type Producer } from 'kafkajs';
import type { TopicMessage, TopicWriter, TopicWritten } from '../../ports/topic-writer.ts';
import type { KafkaConnection } from '../client/connection.ts';

/** kafkajs says so of a topic that is missing, and of one that has no leader now. */
const saidOfMissing = 'Producing to topic without metadata';
const tooLarge = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/** Each topic has a producer of its own: what one holds on to, or waits for, is nothing to the others. */
export function createTopicWriter({ kafka }: { kafka: KafkaConnection }): TopicWriter & { close(): Promise<void> } {
  const producers = new Map<string, Promise<Producer>>();

  function producerOf(topic: string): Promise<Producer> {
    const known = producers.get(topic);
    if (known) return known;
    const opened = open();
    producers.set(topic, opened);
    return opened;
  }

  async function open(): Promise<Producer> {
    const producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      metadataMaxAge: 30_000,
      // Another attempt is a job's, which waits in between.
      retry: { retries: 1 },
    });
    await producer.connect();
    return producer;
  }

  /** One that failed may hold on to metadata that is not true any more. */
  function leave(topic: string, failed: Promise<Producer>): void {
    if (producers.get(topic) !== failed) return;
    producers.delete(topic);
    void failed.then((opened) => opened.disconnect()).catch(() => undefined);
  }

  async function isMissing(topic: string): Promise<boolean> {
    const admin = kafka.admin();
    try {
      await admin.connect();
      return !(await admin.listTopics()).includes(topic);
    } catch {
      return false;
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }

  async function failureOf(topic: string, error: unknown): Promise<TopicWritten> {
    const { message, type } = causeOf(error);
    if (type !== undefined && tooLarge.has(type)) return { kind: 'refused', cause: `larger than ${topic} takes` };
    if (!message.includes(saidOfMissing)) return { kind: 'unknown', cause: `${topic} was not written: ${message}` };
    if (await isMissing(topic)) return { kind: 'refused', cause: `there is no topic ${topic}` };
    return { kind: 'unknown', cause: `no partition of ${topic} has a leader` };
  }

  return {
    write: async ({ topic, key, headers, value }: TopicMessage) => {
      const used = producerOf(topic);
      try {
        const producer = await used;
        const [written] = await producer.send({ topic, acks: -1, messages: [{ key, headers: { ...headers }, value }] });
        // kafkajs resolves as if all were well when it has dropped a message.
        if (written?.errorCode !== 0) return { kind: 'unknown', cause: `no acknowledgement from ${topic}` };
        return { kind: 'written', partition: written.partition, offset: written.baseOffset ?? '' };
      } catch (error) {
        leave(topic, used);
        return await failureOf(topic, error);
      }
    },
    close: async () => {
      const open = [...producers.values()];
      producers.clear();
      await Promise.all(open.map((each) => each.then((opened) => opened.disconnect()).catch(() => undefined)));
    },
  };
}

/** What stands at the bottom of it: kafkajs wraps it where it has tried again. */
function causeOf(error: unknown): { message: string; type?: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  if (error instanceof kafkajs.KafkaJSProtocolError) return { message: error.message, type: error.type };
  return error.cause instanceof Error ? causeOf(error.cause) : { message: error.message };
}
