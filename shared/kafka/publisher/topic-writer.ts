import kafkajs, { Partitioners, type Producer } from 'kafkajs';
import type { TopicMessage, TopicWriter, TopicWritten } from '../../ports/topic-writer.ts';
import type { KafkaConnection } from '../client/connection.ts';

/** Message of kafkajs for a topic that is missing, and for one without a leader at the moment. */
const missingTopicMessage = 'Producing to topic without metadata';
const tooLarge = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/** Creates a writer with a producer per topic, so that stale metadata or waits do not affect other topics. */
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
      // Further attempts are those of the job, which waits in between.
      retry: { retries: 1 },
    });
    await producer.connect();
    return producer;
  }

  /** Drops a failed producer: its metadata may be outdated. */
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
    if (!message.includes(missingTopicMessage))
      return { kind: 'unknown', cause: `${topic} was not written: ${message}` };
    if (await isMissing(topic)) return { kind: 'refused', cause: `there is no topic ${topic}` };
    return { kind: 'unknown', cause: `no partition of ${topic} has a leader` };
  }

  return {
    write: async ({ topic, key, headers, value }: TopicMessage) => {
      const used = producerOf(topic);
      try {
        const producer = await used;
        const [written] = await producer.send({ topic, acks: -1, messages: [{ key, headers: { ...headers }, value }] });
        // kafkajs resolves as if it had succeeded when it has dropped a message.
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

/** Returns the innermost cause: kafkajs wraps it after retries. */
function causeOf(error: unknown): { message: string; type?: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  if (error instanceof kafkajs.KafkaJSProtocolError) return { message: error.message, type: error.type };
  return error.cause instanceof Error ? causeOf(error.cause) : { message: error.message };
}
