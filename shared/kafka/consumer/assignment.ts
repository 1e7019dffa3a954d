import { fnv1a } from '../../domain/partitioning.ts';

export interface Subscriber {
  memberId: string;
  topics: readonly string[];
}

/** Partitions by member and topic, with an entry for every member. */
export type GroupAssignment = Map<string, Record<string, number[]>>;

/**
 * Assigns each topic's partitions to its subscribers only, in shares that differ by at most one. Rendezvous hashing
 * depends on the names only: any leader gets the same result, and most partitions stay in place when a member joins or
 * leaves.
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
 * Returns the subscriber of each partition. Pairs of a partition and a member are used in the order of their scores; a
 * member with a full share is skipped. If the partitions do not divide evenly, as many members as there are partitions
 * left get one more.
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

/**
 * Applies the final mixing step of MurmurHash3. Without it, names that differ only in their end would have similar
 * scores.
 */
function scoreOf(name: string): number {
  let sum = fnv1a(name);
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  sum = Math.imul(sum ^ (sum >>> 13), 0xc2b2ae35);
  return (sum ^ (sum >>> 16)) >>> 0;
}
