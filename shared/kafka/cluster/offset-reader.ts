import type { Cluster } from 'kafkajs';
import { z } from 'zod';
import type { KafkaConnection } from '../client/connection.ts';

export interface PartitionOffsets {
  partition: number;
  /** Next offset of the group; the begin of the partition if the group has committed no offset that is still valid. */
  committed: number;
  /** Offset after the last message. */
  end: number;
}

/** Reads the position of a group in its topics: a few requests for all topics, however many partitions they have. */
export interface OffsetReader {
  /** Returns offsets by topic, without missing topics. @throws if brokers do not answer */
  read(topics: readonly string[]): Promise<Map<string, PartitionOffsets[]>>;
  close(): Promise<void>;
}

const offsetsByTopic = z.array(
  z.object({
    topic: z.string(),
    partitions: z.array(z.object({ partition: z.number(), offset: z.coerce.number() })),
  }),
);
const committedAnswer = z.object({ responses: offsetsByTopic });

export function createOffsetReader({ kafka, groupId }: { kafka: KafkaConnection; groupId: string }): OffsetReader {
  let opened: Cluster | undefined;
  let lastRead: Promise<unknown> = Promise.resolve();

  async function current(): Promise<Cluster> {
    opened ??= kafka.cluster();
    // Has no effect on an open connection.
    await opened.connect();
    return opened;
  }

  async function readOnce(topics: readonly string[]): Promise<Map<string, PartitionOffsets[]>> {
    const cluster = await current();
    await cluster.addMultipleTargetTopics([...topics]);
    await cluster.refreshMetadataIfNecessary();
    const existing = topics
      .map((topic) => ({ topic, partitions: partitionsOf(cluster, topic) }))
      .filter(({ partitions }) => partitions.length > 0);
    if (existing.length === 0) return new Map();
    // Read the group's position first: messages handled in between must count as unhandled, not the reverse.
    const committed = await committedOffsets(cluster, groupId, existing);
    const ends = index(offsetsByTopic.parse(await cluster.fetchTopicsOffset(forTimestamp(existing, false))));
    const uncommitted = existing.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.filter(({ partition }) => !isWithin(committed, ends, topic, partition)),
    }));
    const begins = await beginsOf(
      cluster,
      uncommitted.filter(({ partitions }) => partitions.length > 0),
    );
    return new Map(
      existing.map(({ topic, partitions }) => [
        topic,
        partitions.flatMap(({ partition }) => {
          const end = ends.get(topic)?.get(partition);
          if (end === undefined) return [];
          const begin = begins.get(topic)?.get(partition);
          return [{ partition, end, committed: begin ?? committed.get(topic)?.get(partition) ?? 0 }];
        }),
      ]),
    );
  }

  async function readWithRetry(topics: readonly string[]): Promise<Map<string, PartitionOffsets[]>> {
    try {
      return await readOnce(topics);
    } catch {
      // Leaders and coordinators move: refresh the metadata and retry once.
      await (await current()).refreshMetadata();
      return await readOnce(topics);
    }
  }

  return {
    read: (topics) => {
      const answer = lastRead.then(() =>
        topics.length === 0 ? new Map<string, PartitionOffsets[]>() : readWithRetry(topics),
      );
      lastRead = answer.catch(() => undefined);
      return answer;
    },
    close: async () => {
      await lastRead;
      await opened?.disconnect();
    },
  };
}

type TopicPartitions = { topic: string; partitions: { partition: number }[] }[];
type OffsetIndex = Map<string, Map<number, number>>;

function partitionsOf(cluster: Cluster, topic: string): { partition: number }[] {
  return cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId }));
}

async function committedOffsets(
  cluster: Cluster,
  groupId: string,
  topicPartitions: TopicPartitions,
): Promise<OffsetIndex> {
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  const answer: unknown = await coordinator.offsetFetch({
    groupId,
    topics: topicPartitions.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map(({ partition }) => ({ partition, offset: '' })),
    })),
  });
  return index(committedAnswer.parse(answer).responses);
}

async function beginsOf(cluster: Cluster, topicPartitions: TopicPartitions): Promise<OffsetIndex> {
  if (topicPartitions.length === 0) return new Map();
  return index(offsetsByTopic.parse(await cluster.fetchTopicsOffset(forTimestamp(topicPartitions, true))));
}

function forTimestamp(topicPartitions: TopicPartitions, fromBeginning: boolean) {
  return topicPartitions.map(({ topic, partitions }) => ({ topic, partitions, fromBeginning }));
}

/** Returns false if nothing is committed, which is -1, or if the topic was deleted and created anew since. */
function isWithin(committed: OffsetIndex, ends: OffsetIndex, topic: string, partition: number): boolean {
  const offset = committed.get(topic)?.get(partition) ?? -1;
  return offset >= 0 && offset <= (ends.get(topic)?.get(partition) ?? -1);
}

function index(answer: z.infer<typeof offsetsByTopic>): OffsetIndex {
  return new Map(
    answer.map(({ topic, partitions }) => [
      topic,
      new Map(partitions.map(({ partition, offset }) => [partition, offset])),
    ]),
  );
}
