import { fnv1a } from '../../domain/partitioning.ts';

/** A member of a consumer group, as its leader sees it. */
export interface Subscriber {
  memberId: string;
  topics: readonly string[];
}

/** By member and topic, the partitions that it gets. Every member is there. */
export type GroupAssignment = Map<string, Record<string, number[]>>;

/**
 * Each topic's partitions to its subscribers and no others, shares of a topic differing by at most one. By rendezvous
 * hashing, which looks at nothing but the names: any leader comes to the same answer, and where a member comes or goes,
 * most partitions stay where they are.
 */
export function assignPartitions(
  members: readonly Subscriber[],
  partitionsByTopic: ReadonlyMap<string, number>,
): GroupAssignment {
  const assignment: GroupAssignment = new Map(members.map(({ memberId }) => [memberId, {}]));
  for (const [topic, count] of partitionsByTopic) {
    const subscribers = members.filter(({ topics }) => topics.includes(topic)).map(({ memberId }) => memberId);
    for (const [partition, memberId] of share(topic, count, subscribers).entries()) {
      const ofMember = assignment.get(memberId);
      if (ofMember) (ofMember[topic] ??= []).push(partition);
    }
  }
  return assignment;
}

/**
 * The subscriber of each partition. Of all pairs the one with the highest score comes first; a member with a full share
 * is passed over. What does not divide evenly goes to as many members as there are partitions left, one each.
 */
function share(topic: string, count: number, subscribers: readonly string[]): string[] {
  if (subscribers.length === 0) return [];
  const evenShare = Math.floor(count / subscribers.length);
  let extras = count % subscribers.length;
  const taken = new Map<string, number>();
  const owners = new Array<string | undefined>(count).fill(undefined);

  for (const { partition, memberId } of rankedPairs(topic, count, subscribers)) {
    const has = taken.get(memberId) ?? 0;
    if (owners[partition] !== undefined || has > evenShare || (has === evenShare && extras === 0)) continue;
    if (has === evenShare) extras -= 1;
    taken.set(memberId, has + 1);
    owners[partition] = memberId;
  }
  return owners.filter((owner) => owner !== undefined);
}

function rankedPairs(topic: string, count: number, subscribers: readonly string[]) {
  const pairs = subscribers.flatMap((memberId) =>
    Array.from({ length: count }, (_, partition) => ({
      partition,
      memberId,
      score: scoreOf(`${topic}/${partition}/${memberId}`),
    })),
  );
  return pairs.sort((a, b) => b.score - a.score || a.partition - b.partition || (a.memberId < b.memberId ? -1 : 1));
}

/** The last mixing of MurmurHash3, without which names that differ in their end alone would score alike. */
function scoreOf(name: string): number {
  let sum = fnv1a(name);
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  sum = Math.imul(sum ^ (sum >>> 13), 0xc2b2ae35);
  return (sum ^ (sum >>> 16)) >>> 0;
}
