import type { EngineConfig } from '../../contracts/endpoints/engine-config.ts';
import { topicNames, type Shard } from '../../domain/endpoint/shard.ts';
import type { TopicSpec } from '../../ports/message-bus.ts';

/** A shard, and how many partitions its topic is to have. */
export type WantedShard = Shard & { partitions: number };

/**
 * What an engine's file brings to life by itself: its action types in its countries. Others begin with their first
 * campaign.
 */
export function shardsOfFile({ actionTypes, countries = [], partitionsPerShard }: EngineConfig): WantedShard[] {
  return Object.keys(actionTypes).flatMap((actionType) =>
    countries.map((country) => ({ actionType, country, partitions: partitionsPerShard })),
  );
}

/** One topic for each shard. */
export function topicsOf(
  shards: readonly WantedShard[],
  { prefix, replicationFactor }: { prefix: string; replicationFactor: number },
): TopicSpec[] {
  const names = topicNames(prefix);
  return shards.map((shard) => ({ topic: names.shard(shard), partitions: shard.partitions, replicationFactor }));
}

/** The topics that an engine's file asks for. */
export function topicsOfFile(config: EngineConfig, prefix: string): TopicSpec[] {
  return topicsOf(shardsOfFile(config), { prefix, replicationFactor: config.replicationFactor });
}
