import { createRequire } from 'node:module';
import { z } from 'zod';

/** Versions of the answer that kafkajs 2.2.4 can read; each has a module of its own. */
const versions = [0, 1, 2, 3, 4, 5, 6];

const metadata = z.looseObject({
  topicMetadata: z.array(
    z.looseObject({
      topicErrorCode: z.number(),
      partitionMetadata: z.array(z.looseObject({ leader: z.number() })),
    }),
  ),
});

/**
 * Replaces how kafkajs 2.2.4 reads metadata. kafkajs discards the whole answer if one topic is unknown or one partition
 * has no leader: one deleted topic stops a client for all topics. With the replacement, such a topic has no partitions,
 * and a partition without a leader is omitted; both return with the next answer after their recovery. Safe to call
 * again.
 */
export function acceptMissingTopics(): void {
  const load = createRequire(import.meta.url);
  for (const version of versions) {
    const loaded: unknown = load(`kafkajs/src/protocol/requests/metadata/v${version}/response.js`);
    if (!isResponse(loaded)) throw new Error('kafkajs reads metadata in another way than version 2.2.4');
    loaded.parse = parseAvailable;
  }
}

/** Returns the available part of a decoded answer, instead of an error for missing parts. */
export function parseAvailable(decoded: unknown): Promise<object> {
  const answer = metadata.parse(decoded);
  return Promise.resolve({
    ...answer,
    topicMetadata: answer.topicMetadata.map((topic) => ({
      ...topic,
      partitionMetadata: topic.topicErrorCode === 0 ? topic.partitionMetadata.filter(({ leader }) => leader >= 0) : [],
    })),
  });
}

function isResponse(loaded: unknown): loaded is { parse: (decoded: unknown) => Promise<object> } {
  return typeof loaded === 'object' && loaded !== null && 'parse' in loaded && 'decode' in loaded;
}
