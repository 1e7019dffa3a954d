import type { TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { TopicAdmin, TopicSpec } from '../../../shared/ports/message-bus.ts';
import type { RegistryReader } from '../../../shared/runtime/installation/registry-reader.ts';

/** Pause in milliseconds without work. Changes of the shards' settings wake the loop. */
const idleMs = 60_000;

export interface ShardPartitionsDeps {
  registry: Pick<RegistryReader, 'current'>;
  topicAdmin: TopicAdmin;
  topics: TopicNames;
  topicTerms: Omit<TopicSpec, 'topic'>;
}

/**
 * Adds partitions to the topics of shards until they have the required number. The order of messages does not depend on
 * their keys, so this is safe under load. Publishers use new partitions as soon as they see them.
 */
export interface ShardPartitions {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createShardPartitions({
  registry,
  topicAdmin,
  topics,
  topicTerms,
}: ShardPartitionsDeps): ShardPartitions {
  const kept = new Map<string, number>();

  async function turn(): Promise<number> {
    const wanted = (registry.current()?.shards ?? []).map((shard) => ({
      ...topicTerms,
      topic: topics.shard(shard),
      partitions: shard.partitions,
    }));
    const changed = wanted.filter(({ topic, partitions }) => (kept.get(topic) ?? 0) < partitions);
    if (changed.length === 0) return idleMs;
    await topicAdmin.ensureTopics(changed);
    for (const { topic, partitions } of changed) kept.set(topic, partitions);
    return idleMs;
  }

  return { turn };
}
