/** A shard is one action type in one country: one Kafka topic, which scales and fails alone. */
export interface Shard {
  actionType: string;
  country: string;
}

/** Returns topic names. The prefix separates installations that share a cluster; the default is `muster`. */
export function topicNames(prefix: string) {
  return {
    shard: ({ actionType, country }: Shard) => `${prefix}.${actionType}.${country}`,
  };
}

export type TopicNames = ReturnType<typeof topicNames>;

export const actionTypePattern = /^[a-z][a-z0-9-]{0,63}$/;

/** ISO 3166-1 alpha-2, in upper case. The configuration decides which codes are assigned. */
export const countryPattern = /^[A-Z]{2}$/;
