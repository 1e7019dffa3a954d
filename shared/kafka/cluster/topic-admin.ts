import { setTimeout as wait } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import type { TopicAdmin, TopicSpec } from '../../ports/message-bus.ts';
import type { KafkaConnection } from '../client/connection.ts';

/** Messages are references that the database can publish again; a week is for people who investigate. */
const retentionMs = 7 * 24 * 3_600_000;

const leadersKnownWithinMs = 30_000;
const leadersPollMs = 100;

export interface TopicAdminDeps {
  kafka: KafkaConnection;
  /** Aborts the wait for leaders, which then rejects. */
  signal?: AbortSignal;
}

/** Creates the admin of topics. `ensureTopics` rejects if not all partitions can be written within 30 s. */
export function createTopicAdmin({ kafka, signal }: TopicAdminDeps): TopicAdmin & { close(): Promise<void> } {
  const admin = kafka.admin();
  return {
    ensureTopics: async (specs) => {
      if (specs.length === 0) return;
      await admin.connect();
      const changed = [...(await createMissing(admin, specs)), ...(await addPartitions(admin, specs, signal))];
      await waitForLeaders(admin, specs, signal);
      await Promise.all(changed.map(({ topic }) => waitUntilServed(admin, topic, signal)));
    },
    close: () => admin.disconnect(),
  };
}

async function createMissing(admin: Admin, specs: readonly TopicSpec[]): Promise<TopicSpec[]> {
  const existing = new Set(await admin.listTopics());
  const missing = specs.filter(({ topic }) => !existing.has(topic));
  if (missing.length === 0) return [];
  // If another process creates the topics first, the answer is `false`. The topics exist in either case.
  await admin.createTopics({ topics: missing.map(topicConfig), waitForLeaders: false });
  return missing;
}

function topicConfig({ topic, partitions, replicationFactor }: TopicSpec) {
  return {
    topic,
    numPartitions: partitions,
    replicationFactor,
    configEntries: [
      // Set by topic, as Kafka 4.1 and later ignore the brokers' value on new clusters. One replica may be missing.
      { name: 'min.insync.replicas', value: String(Math.max(1, replicationFactor - 1)) },
      { name: 'retention.ms', value: String(retentionMs) },
    ],
  };
}

async function addPartitions(
  admin: Admin,
  specs: readonly TopicSpec[],
  signal: AbortSignal | undefined,
): Promise<TopicSpec[]> {
  const counts = await waitForTopics(admin, specs, signal, ({ count }) => count > 0);
  const short = specs.filter(({ topic, partitions }) => (counts.get(topic) ?? 0) < partitions);
  for (const { topic, partitions } of short) {
    try {
      await admin.createPartitions({ topicPartitions: [{ topic, count: partitions }] });
    } catch (error) {
      // Another process may have added the partitions since they were read.
      const now = await waitForTopics(admin, [{ topic }], signal, ({ count }) => count > 0);
      if ((now.get(topic) ?? 0) < partitions) throw error;
    }
  }
  return short;
}

async function waitForLeaders(
  admin: Admin,
  specs: readonly TopicSpec[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const wanted = new Map(specs.map(({ topic, partitions }) => [topic, partitions]));
  await waitForTopics(
    admin,
    specs,
    signal,
    ({ topic, count, led }) => led === count && count >= (wanted.get(topic) ?? 0),
  );
}

/**
 * Waits until the partitions are served. A leader is announced a moment before it serves its partition. Some partitions
 * would refuse messages in that moment, and a retry on all of them duplicates messages.
 */
async function waitUntilServed(admin: Admin, topic: string, signal: AbortSignal | undefined): Promise<void> {
  const until = performance.now() + leadersKnownWithinMs;
  for (;;) {
    try {
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (performance.now() > until) throw new Error(`${topic} is not served`, { cause: error });
      signal?.throwIfAborted();
      await wait(leadersPollMs);
    }
  }
}

interface KnownTopic {
  topic: string;
  /** Number of partitions that the answering broker knows, and how many of them have a leader. */
  count: number;
  led: number;
}

/** Polls until all brokers know the topics, one after another. @returns the number of partitions by topic */
async function waitForTopics(
  admin: Admin,
  specs: readonly Pick<TopicSpec, 'topic'>[],
  signal: AbortSignal | undefined,
  asWanted: (known: KnownTopic) => boolean,
): Promise<Map<string, number>> {
  const names = specs.map(({ topic }) => topic);
  const until = performance.now() + leadersKnownWithinMs;
  for (;;) {
    const known = await describe(admin, names);
    if (known instanceof Error) {
      if (performance.now() > until) throw new Error(`topics are not there: ${names.join(', ')}`, { cause: known });
    } else {
      const lacking = known.filter((topic) => !asWanted(topic));
      if (lacking.length === 0) return new Map(known.map(({ topic, count }) => [topic, count]));
      if (performance.now() > until) {
        throw new Error(`partitions without a leader: ${lacking.map(({ topic }) => topic).join(', ')}`);
      }
    }
    signal?.throwIfAborted();
    await wait(leadersPollMs);
  }
}

async function describe(admin: Admin, topics: string[]): Promise<KnownTopic[] | Error> {
  try {
    const metadata = await admin.fetchTopicMetadata({ topics });
    return metadata.topics.map(({ name, partitions }) => ({
      topic: name,
      count: partitions.length,
      led: partitions.filter(({ leader }) => leader >= 0).length,
    }));
  } catch (error) {
    // A topic that this broker does not know yet causes an error here, or a TypeError in kafkajs.
    return error instanceof Error ? error : new Error(String(error));
  }
}
