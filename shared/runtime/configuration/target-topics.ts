import { z } from 'zod';
import { isTopicName } from '../../contracts/jobs/topic-urls.ts';
import { commonEnvironment, readEnvironment } from './environment.ts';

/** Topics outside Muster that jobs may be written to. */
export interface TargetTopics {
  /** Topic names, or prefixes and `*`, which stands for at least one character: `shop.*` does not match `shop.`. */
  allowed: readonly string[];
  /** Returns the reason, for people, why the topic may not be written to; null if it may. */
  whyNot(topic: string): string | null;
}

const isPattern = (text: string) => isTopicName(text.endsWith('*') ? text.slice(0, -1) : text);

export const targetTopicsEnvironment = z.object({
  DISPATCHER_TARGET_TOPICS: z
    .string()
    .transform((list) => list.split(',').map((each) => each.trim()))
    .refine((list) => list.every(isPattern), 'has to be names of topics, separated by commas, or shop.* for all below')
    .default([])
    .meta({
      description:
        'Topics to which jobs of an endpoint `kafka:<topic>` may be written; never topics of Muster or of Kafka itself ([clients](../clients.md#to-a-kafka-topic))',
      usual: 'none',
    }),
});

const topicsEnvironment = targetTopicsEnvironment.extend({
  MUSTER_TOPIC_PREFIX: commonEnvironment.shape.MUSTER_TOPIC_PREFIX,
});

/**
 * Reads the allowed topics; none by default. Muster's and Kafka's own topics are never allowed.
 * @throws {ConfigurationError}
 */
export function readTargetTopics(environment: NodeJS.ProcessEnv): TargetTopics {
  const { DISPATCHER_TARGET_TOPICS: allowed, MUSTER_TOPIC_PREFIX: own } = readEnvironment(
    topicsEnvironment,
    environment,
  );
  return createTargetTopics(allowed, own);
}

/** @param own prefix of Muster's topics */
export function createTargetTopics(allowed: readonly string[], own: string): TargetTopics {
  const isBelow = (topic: string, beginning: string) => topic.length > beginning.length && topic.startsWith(beginning);
  const isNamed = (topic: string) =>
    allowed.some((each) => (each.endsWith('*') ? isBelow(topic, each.slice(0, -1)) : topic === each));
  return {
    allowed,
    whyNot: (topic) => {
      if (topic.startsWith(`${own}.`)) return 'it is one of Muster’s own';
      if (topic.startsWith('__')) return 'it is one of Kafka’s own';
      return isNamed(topic) ? null : 'DISPATCHER_TARGET_TOPICS does not name it';
    },
  };
}
