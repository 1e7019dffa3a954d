import type { EngineConfig } from '../contracts/engine-config.ts';
import { topicNames } from '../domain/shard.ts';
import type { TopicSpec } from '../ports/message-bus.ts';

/** One for each action type in each country. */
export function requiredTopics(config: EngineConfig, prefix: string): TopicSpec[] {
  const names = topicNames(prefix);
  const shards = Object.keys(config.actionTypes).flatMap((actionType) =>
    config.countries.map((country) => names.shard({ actionType, country })),
  );
  return shards.map((topic) => ({
    topic,
    partitions: config.partitionsPerShard,
    replicationFactor: config.replicationFactor,
  }));
}
