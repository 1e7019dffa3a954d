import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptMissingTopics, parseAvailable } from './metadata-fix.ts';

const partition = (partitionId: number, leader = 1) => ({
  partitionErrorCode: leader < 0 ? 5 : 0,
  partitionId,
  leader,
  replicas: [1],
  isr: [1],
});

const answer = {
  brokers: [{ nodeId: 1, host: 'h', port: 1 }],
  topicMetadata: [
    { topicErrorCode: 0, topic: 'whole', partitionMetadata: [partition(0), partition(1)] },
    { topicErrorCode: 3, topic: 'unknown', partitionMetadata: [] },
    { topicErrorCode: 0, topic: 'leaderless', partitionMetadata: [partition(0, -1), partition(1)] },
  ],
};

describe('Kafka metadata with an unknown topic', () => {
  it('contains the other topics, without partitions that have no leader', async () => {
    expect(await parseAvailable(answer)).toMatchObject({
      brokers: [{ nodeId: 1 }],
      topicMetadata: [
        { topic: 'whole', partitionMetadata: [{ partitionId: 0 }, { partitionId: 1 }] },
        { topic: 'unknown', partitionMetadata: [] },
        { topic: 'leaderless', partitionMetadata: [{ partitionId: 1 }] },
      ],
    });
  });

  it('is parsed with this fix by kafkajs in every version of the response', () => {
    acceptMissingTopics();
    const protocol = z.object({ versions: z.array(z.string()) });
    const load = createRequire(import.meta.url);
    const { versions } = protocol.parse(load('kafkajs/src/protocol/requests/metadata/index.js'));
    for (const version of versions) {
      const loaded: unknown = load(`kafkajs/src/protocol/requests/metadata/v${version}/response.js`);
      expect(loaded).toHaveProperty('parse', parseAvailable);
    }
    expect(versions).toHaveLength(7);
  });
});
