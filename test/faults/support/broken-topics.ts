import { randomBytes } from 'node:crypto';
import { ConfigResourceTypes, type Admin, type Producer } from 'kafkajs';
import { createKafka, type KafkaConnection } from '../../../shared/kafka/client/connection.ts';
import { createLogger } from '../../../shared/runtime/logger.ts';
import { lasting, until } from './until.ts';

/** Changes to Kafka that an operator can make, or that an accident can cause. */
export interface BrokenTopics {
  delete(topic: string): Promise<void>;
  /**
   * Makes a topic refuse every write, or accept writes again. The topic gets a size limit that no message meets. (A
   * minimum of replicas has no effect: brokers lower it to the existing number.)
   */
  writable(topic: string, on: boolean): Promise<void>;
  /** Raw bytes, to one partition. */
  produce(topic: string, partition: number, values: readonly (Buffer | null)[]): Promise<void>;
  /** Returns the values of all messages on the topics. */
  contents(topics: readonly string[]): Promise<string[]>;
  /**
   * Returns the number of uncommitted messages of the prefix's groups, by `topic/partition`, without partitions that
   * have none.
   */
  lags(prefix: string): Promise<Record<string, number>>;
  addPartitions(topic: string, count: number): Promise<void>;
  /** Returns the number of messages that each partition ever got, in the order of the partitions. */
  ends(topic: string): Promise<number[]>;
  /** Changes the committed offsets of the prefix's groups, which must have no members. */
  moveOffsets(prefix: string, to: 'earliest' | 'latest'): Promise<void>;
  /** Returns the under-replicated partitions of the prefix's topics and of Kafka's own topics, as `topic/partition`. */
  lacking(prefix: string): Promise<string[]>;
  /** The broker's node id. */
  leaderOf(topic: string, partition: number): Promise<number>;
  /**
   * Returns the ids of all members of the prefix's groups, sorted, once no group rebalances. An id lasts as long as a
   * membership.
   */
  membersOf(prefix: string): Promise<string[]>;
  /** The node id of the broker that coordinates the first group of the prefix. */
  coordinatorOf(prefix: string): Promise<number>;
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
      if (on) {
        const copies = await copiesOf(admin, topic);
        await configure(admin, topic, ['min.insync.replicas', String(Math.max(1, copies - 1))]);
        return;
      }
      await configure(admin, topic, ['max.message.bytes', '0']);
      const isWritten = await send(producer, topic, 0, [Buffer.from('refused')]).then(
        () => true,
        () => false,
      );
      if (isWritten) throw new Error(`${topic} takes a message, although it takes none of any size`);
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
    lags: async (prefix) => {
      await connect();
      return await lagsOf(admin, prefix);
    },
    addPartitions: async (topic, count) => {
      await connect();
      await admin.createPartitions({ topicPartitions: [{ topic, count }] });
    },
    ends: async (topic) => {
      await connect();
      const partitions = await admin.fetchTopicOffsets(topic);
      return partitions.toSorted((a, b) => a.partition - b.partition).map(({ high }) => Number(high));
    },
    moveOffsets: async (prefix, to) => {
      await connect();
      for (const groupId of await groupsOf(admin, prefix)) {
        await until(`${groupId} has no members`, async () => {
          const { groups } = await admin.describeGroups([groupId]);
          return groups[0]?.members.length === 0;
        });
        for (const topic of await topicsOf(admin, prefix)) {
          await admin.resetOffsets({ groupId, topic, earliest: to === 'earliest' });
        }
      }
    },
    lacking: async (prefix) => {
      await connect();
      const topics = (await admin.listTopics()).filter(
        (topic) => topic.startsWith(`${prefix}.`) || topic.startsWith('__'),
      );
      const described = await admin.fetchTopicMetadata({ topics });
      return described.topics.flatMap(({ name, partitions }) =>
        partitions
          .filter(({ isr, replicas }) => isr.length < replicas.length)
          .map(({ partitionId }) => `${name}/${partitionId}`),
      );
    },
    leaderOf: async (topic, partition) => {
      await connect();
      return await leaderOf(admin, topic, partition);
    },
    membersOf: async (prefix) => {
      await connect();
      return await until('no group rebalances', async () => {
        const { groups } = await admin.describeGroups(await groupsOf(admin, prefix));
        const isSettled = groups.every(({ state }) => state === 'Stable' || state === 'Empty');
        return isSettled && groups.flatMap(({ members }) => members.map(({ memberId }) => memberId)).toSorted();
      });
    },
    coordinatorOf: async (prefix) => {
      await connect();
      const [groupId] = await groupsOf(admin, prefix);
      if (groupId === undefined) throw new Error(`no group of ${prefix}`);
      return await leaderOf(admin, '__consumer_offsets', javaHash(groupId) % offsetsPartitions);
    },
    close: async () => {
      if (!connected) return;
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}

/**
 * Sets one configuration of a topic. Resolves when the brokers apply it, so that no later message is written under the
 * old configuration.
 */
async function configure(admin: Admin, topic: string, [name, value]: readonly [string, string]): Promise<void> {
  const resource = { type: ConfigResourceTypes.TOPIC, name: topic };
  await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries: [{ name, value }] }] });
  await until(`${topic} has ${name}=${value}`, async () => {
    const notified = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ ...resource, configNames: [name] }],
    });
    return notified.resources[0]?.configEntries[0]?.configValue === value;
  });
  // A broker reports the new value a moment before it applies it.
  await lasting(appliedAfterMs);
}

async function send(
  producer: Producer,
  topic: string,
  partition: number,
  values: readonly (Buffer | null)[],
): Promise<void> {
  await producer.send({ topic, acks: -1, messages: values.map((value) => ({ partition, value })) });
}

const appliedAfterMs = 250;

/** `offsets.topic.num.partitions` of the brokers that these tests start. */
const offsetsPartitions = 3;

/** Java's hash of a text, as Kafka takes it to place a group: without its sign. */
function javaHash(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0;
  return hash & 0x7f_ff_ff_ff;
}

async function topicsOf(admin: Admin, prefix: string): Promise<string[]> {
  return (await admin.listTopics()).filter((topic) => topic.startsWith(`${prefix}.`));
}

async function groupsOf(admin: Admin, prefix: string): Promise<string[]> {
  const { groups } = await admin.listGroups();
  return groups.map(({ groupId }) => groupId).filter((groupId) => groupId.startsWith(prefix));
}

async function leaderOf(admin: Admin, topic: string, partition: number): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const found = topics[0]?.partitions.find(({ partitionId }) => partitionId === partition);
  if (!found || found.leader < 0) throw new Error(`${topic}/${partition} has no leader`);
  return found.leader;
}

async function copiesOf(admin: Admin, topic: string): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  return topics[0]?.partitions[0]?.replicas.length ?? 1;
}

async function lagsOf(admin: Admin, prefix: string): Promise<Record<string, number>> {
  const topics = await topicsOf(admin, prefix);
  const committed = new Map<string, number>();
  for (const groupId of await groupsOf(admin, prefix)) {
    for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics })) {
      for (const { partition, offset } of partitions) {
        const name = `${topic}/${partition}`;
        committed.set(name, Math.max(committed.get(name) ?? 0, Number(offset)));
      }
    }
  }
  const lags: Record<string, number> = {};
  for (const topic of topics) {
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic)) {
      const name = `${topic}/${partition}`;
      const lag = Number(high) - Math.max(Number(low), committed.get(name) ?? 0);
      if (lag !== 0) lags[name] = lag;
    }
  }
  return lags;
}

async function sizeOf(admin: Admin, topic: string): Promise<number> {
  const partitions = await admin.fetchTopicOffsets(topic);
  return partitions.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
}

/** Reads all messages from the beginning, with a group of its own. */
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
