import { randomBytes } from 'node:crypto';
import { ConfigResourceTypes, type Admin, type Producer } from 'kafkajs';
import { createKafka, type KafkaConnection } from '../../../shared/kafka/connection.ts';
import { createLogger } from '../../../shared/runtime/logger.ts';
import { until } from './until.ts';

/** Kafka as an operator or an accident sees it. */
export interface BrokenTopics {
  delete(topic: string): Promise<void>;
  /** While off, the topic refuses every write: it asks for more replicas than there are. */
  writable(topic: string, on: boolean): Promise<void>;
  /** Raw bytes, to one partition. */
  produce(topic: string, partition: number, values: readonly (Buffer | null)[]): Promise<void>;
  /** The values of all messages that lie on the topics now. */
  contents(topics: readonly string[]): Promise<string[]>;
  /** Messages of the prefix's topics that the groups of the prefix have not committed. */
  lag(prefix: string): Promise<number>;
  close(): Promise<void>;
}

export function breakTopics(kafkaBrokers: string): BrokenTopics {
  const logger = createLogger('faults', 'silent');
  const kafka = createKafka({ brokers: kafkaBrokers.split(','), clientId: 'faults', logger });
  const admin = kafka.admin();
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  let connected: Promise<void> | undefined;
  const connect = () => (connected ??= Promise.all([admin.connect(), producer.connect()]).then(() => undefined));

  return {
    delete: async (topic) => {
      await connect();
      await admin.deleteTopics({ topics: [topic] });
    },
    writable: async (topic, on) => {
      await connect();
      await setReplicasAsked(admin, topic, on ? 1 : 2);
    },
    produce: async (topic, partition, values) => {
      await connect();
      await send(producer, topic, partition, values);
    },
    contents: async (topics) => {
      await connect();
      let messages = 0;
      for (const topic of topics) messages += await sizeOf(admin, topic);
      return messages === 0 ? [] : await readAll(kafka, topics, messages);
    },
    lag: async (prefix) => {
      await connect();
      return await lagOf(admin, prefix);
    },
    close: async () => {
      if (!connected) return;
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}

async function setReplicasAsked(admin: Admin, topic: string, replicas: number): Promise<void> {
  const configEntries = [{ name: 'min.insync.replicas', value: String(replicas) }];
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }],
  });
}

async function send(
  producer: Producer,
  topic: string,
  partition: number,
  values: readonly (Buffer | null)[],
): Promise<void> {
  await producer.send({ topic, acks: -1, messages: values.map((value) => ({ partition, value })) });
}

async function lagOf(admin: Admin, prefix: string): Promise<number> {
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(`${prefix}.`));
  const groups = (await admin.listGroups()).groups.filter(({ groupId }) => groupId.startsWith(prefix));
  const committed = new Map<string, number>();
  for (const { groupId } of groups) {
    for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics })) {
      for (const { partition, offset } of partitions) {
        const name = `${topic}/${partition}`;
        committed.set(name, Math.max(committed.get(name) ?? 0, Number(offset)));
      }
    }
  }
  let lag = 0;
  for (const topic of topics) {
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic)) {
      lag += Number(high) - Math.max(Number(low), committed.get(`${topic}/${partition}`) ?? 0);
    }
  }
  return lag;
}

async function sizeOf(admin: Admin, topic: string): Promise<number> {
  const partitions = await admin.fetchTopicOffsets(topic);
  return partitions.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
}

/** As a group of its own would read them, from the beginning. */
async function readAll(kafka: KafkaConnection, topics: readonly string[], messages: number): Promise<string[]> {
  const values: string[] = [];
  const consumer = kafka.consumer({ groupId: `faults-${randomBytes(4).toString('hex')}` });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: ({ message }) => {
        values.push(message.value?.toString('utf8') ?? '');
        return Promise.resolve();
      },
    });
    await until('the topics are read', () => values.length >= messages);
  } finally {
    await consumer.disconnect();
  }
  return values;
}
