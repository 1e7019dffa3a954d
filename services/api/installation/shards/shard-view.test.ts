import { expect, it } from 'vitest';
import { shardView } from './shard-view.ts';

const report = { refusal: null, batchesPerSecond: 0, inFlight: 0, callLimit: 8, waiting: 0, breakerOpen: false };

/**
 * Returns the notes on the page of a shard.
 * @param members the consumer that has each partition, according to Kafka
 */
function notesWhere(members: readonly (string | null)[]): readonly string[] {
  const at = { actionType: 'award-reward', country: 'SG' };
  return shardView({
    shard: { ...at, partitions: 2, createdAt: new Date(0) },
    topic: 'muster.award-reward.SG',
    traffic: members.map((member, partition) => ({ partition, member, unhandled: 0 })),
    reports: ['a', 'b'].map((worker) => ({ ...at, ...report, worker })),
    work: undefined,
    guard: undefined,
  }).notes;
}

it('the page of a shard notes that Kafka is about to assign partitions without a worker', () => {
  expect(notesWhere([null, 'a'])).toEqual(['no worker has 1 of 2 partitions: Kafka is about to assign them']);
  expect(notesWhere(['b', 'a'])).toEqual([]);
});
