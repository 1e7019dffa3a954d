import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { assignPartitions, type Subscriber } from './assignment.ts';

const topicNames = ['award.ID', 'award.SG', 'message.ID', 'message.SG', 'points.SG'];

const members = fc.uniqueArray(fc.record({ memberId: fc.uuid(), topics: fc.subarray(topicNames) }), {
  selector: ({ memberId }) => memberId,
  minLength: 1,
  maxLength: 12,
});
const partitions = fc
  .array(fc.integer({ min: 1, max: 40 }), { minLength: topicNames.length, maxLength: topicNames.length })
  .map((counts) => new Map(topicNames.map((topic, index) => [topic, counts[index] ?? 1])));

function subscribersOf(topic: string, group: readonly Subscriber[]): Subscriber[] {
  return group.filter(({ topics }) => topics.includes(topic));
}

/** Returns the owner of each partition of a topic. */
function ownersOf(topic: string, group: readonly Subscriber[], counts: ReadonlyMap<string, number>): string[] {
  const owners: string[] = [];
  for (const [memberId, byTopic] of assignPartitions(group, counts)) {
    for (const partition of byTopic[topic] ?? []) {
      if (owners[partition] !== undefined) throw new Error(`partition ${partition} is assigned twice`);
      owners[partition] = memberId;
    }
  }
  return owners;
}

describe('the assignment of partitions', () => {
  it('gives every partition of a topic to exactly one of its subscribers', () => {
    fc.assert(
      fc.property(members, partitions, (group, counts) => {
        for (const [topic, count] of counts) {
          const subscribers = new Set(subscribersOf(topic, group).map(({ memberId }) => memberId));
          const owners = ownersOf(topic, group, counts);
          expect(owners.filter((owner) => subscribers.has(owner))).toHaveLength(subscribers.size === 0 ? 0 : count);
        }
      }),
    );
  });

  it('gives subscribers of a topic shares that differ by at most one partition', () => {
    fc.assert(
      fc.property(members, partitions, (group, counts) => {
        for (const topic of topicNames) {
          const owners = ownersOf(topic, group, counts);
          const shares = subscribersOf(topic, group).map(
            ({ memberId }) => owners.filter((owner) => owner === memberId).length,
          );
          if (shares.length > 0) expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('does not depend on the leader or the order of members', () => {
    fc.assert(
      fc.property(members, partitions, (group, counts) => {
        for (const topic of topicNames) {
          expect(ownersOf(topic, group.toReversed(), counts)).toEqual(ownersOf(topic, group, counts));
        }
      }),
    );
  });

  it('does not change topics to which a joining member does not subscribe', () => {
    fc.assert(
      fc.property(members, partitions, fc.uuid(), (group, counts, memberId) => {
        const joined = [...group, { memberId, topics: ['award.SG'] }];
        for (const topic of topicNames.filter((name) => name !== 'award.SG')) {
          expect(ownersOf(topic, joined, counts)).toEqual(ownersOf(topic, group, counts));
        }
      }),
    );
  });

  it('moves few partitions when a member joins: on average less than twice its share', () => {
    const counts = new Map([['t', 60]]);
    const moves: number[] = [];
    for (let group = 0; group < 100; group++) {
      const before = Array.from({ length: 5 }, (_, i) => ({ memberId: `${group}-${i}`, topics: ['t'] }));
      const owners = ownersOf('t', before, counts);
      const ownersAfter = ownersOf('t', [...before, { memberId: `${group}-new`, topics: ['t'] }], counts);
      moves.push(owners.filter((owner, partition) => owner !== ownersAfter[partition]).length);
    }
    const mean = moves.reduce((sum, moved) => sum + moved, 0) / moves.length;
    expect(mean).toBeLessThan(2 * (60 / 6));
    expect(Math.max(...moves)).toBeLessThan(60 / 2);
  });
});
