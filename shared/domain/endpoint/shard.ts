/** A shard is one action type in one country: one Kafka topic, which scales and fails alone. */
export interface Shard {
  actionType: string;
  country: string;
}

/** Names of the topics. The prefix tells installations apart that share a cluster; it is `muster` unless configured. */
export function topicNames(prefix: string) {
  return {
    shard: ({ actionType, country }: Shard) => `${prefix}.${actionType}.${country}`,
  };
}

export type TopicNames = ReturnType<typeof topicNames>;

export const actionTypePattern = /^[a-z][a-z0-9-]{0,63}$/;

/** ISO 3166-1 alpha-2, in capitals. That the code is assigned is checked against configuration, not here. */
export const countryPattern = /^[A-Z]{2}$/;
