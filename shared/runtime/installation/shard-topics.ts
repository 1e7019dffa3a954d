import type { EngineConfig } from '../../contracts/endpoints/engine-config.ts';
import { topicNames, type Shard } from '../../domain/endpoint/shard.ts';
import type { TopicSpec } from '../../ports/message-bus.ts';

export type WantedShard = Shard & { partitions: number };

/** Returns the shards of an engine's file. Other shards are created with their first campaign. */
export function shardsOfFile({ actionTypes, countries = [], partitionsPerShard }: EngineConfig): WantedShard[] {
  return Object.keys(actionTypes).flatMap((actionType) =>
    countries.map((country) => ({ actionType, country, partitions: partitionsPerShard })),
  );
}

export function topicsOf(
  shards: readonly WantedShard[],
  { prefix, replicationFactor }: { prefix: string; replicationFactor: number },
): TopicSpec[] {
  const names = topicNames(prefix);
  return shards.map((shard) => ({ topic: names.shard(shard), partitions: shard.partitions, replicationFactor }));
}

export function topicsOfFile(config: EngineConfig, prefix: string): TopicSpec[] {
  return topicsOf(shardsOfFile(config), { prefix, replicationFactor: config.replicationFactor });
}
