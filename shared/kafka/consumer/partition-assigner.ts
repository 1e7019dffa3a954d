import { AssignerProtocol, type Assigner, type Cluster, type GroupMember, type PartitionAssigner } from 'kafkajs';
import { z } from 'zod';
import { assignPartitions } from './assignment.ts';

/**
 * Name of Muster's assignment protocol. Another algorithm needs another name, because a group uses a protocol that all
 * its members offer.
 */
export const protocolName = 'muster-rendezvous';

/** Name of kafkajs' own assigner, for groups with members that offer no other protocol. */
const kafkajsProtocolName = 'RoundRobinAssigner';

const protocolVersion = 0;

/** User data of a member's subscription: how many partitions it knows of each topic, in the order of topics. */
const knownPartitions = z.object({ partitions: z.array(z.number().int().nonnegative()) });

/**
 * Returns assigners for both protocols, with the same assignment. kafkajs' own assigner gives every member the leader's
 * topics, and no member consumes partitions whose owner has not subscribed to them. While the group has members of an
 * older version, it uses kafkajs' protocol; an older leader assigns in the old way until it leaves.
 */
export function partitionAssigners(): PartitionAssigner[] {
  return [protocolName, kafkajsProtocolName].map(
    (name) =>
      ({ cluster }) =>
        createAssigner(name, cluster),
  );
}

function createAssigner(name: string, cluster: Cluster): Assigner {
  /**
   * Highest partition count seen by topic, so that a topic that vanishes for a moment does not make the group reassign
   * its partitions.
   */
  const seen = new Map<string, number>();

  function partitionsOf(topic: string): number {
    const ids = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
    const count = Math.max(seen.get(topic) ?? 0, ...ids.map((id) => id + 1));
    seen.set(topic, count);
    return count;
  }

  return {
    name,
    version: protocolVersion,
    // A member that knows of more partitions has new metadata, so the group assigns anew under any leader.
    protocol: ({ topics }) => ({
      name,
      metadata: AssignerProtocol.MemberMetadata.encode({
        version: protocolVersion,
        topics,
        userData: Buffer.from(JSON.stringify({ partitions: topics.map(partitionsOf) })),
      }),
    }),
    assign: ({ members, topics }) => {
      const subscriptions = members.map(decodeSubscription);
      const counts = new Map(topics.map((topic) => [topic, partitionsOf(topic)]));
      for (const { partitionsByTopic } of subscriptions) {
        for (const [topic, count] of partitionsByTopic) counts.set(topic, Math.max(count, counts.get(topic) ?? 0));
      }
      return Promise.resolve(Array.from(assignPartitions(subscriptions, counts), encodeAssignment));
    },
  };
}

function decodeSubscription({ memberId, memberMetadata }: GroupMember) {
  const decoded = AssignerProtocol.MemberMetadata.decode(memberMetadata);
  const topics = decoded?.topics ?? [];
  const known = parseKnownPartitions(decoded?.userData);
  return { memberId, topics, partitionsByTopic: new Map(topics.map((topic, index) => [topic, known[index] ?? 0])) };
}

/** Returns an empty list for a member whose client adds no user data, or other data. */
function parseKnownPartitions(userData: Buffer | undefined): number[] {
  try {
    return knownPartitions.parse(JSON.parse(userData?.toString('utf8') ?? '')).partitions;
  } catch {
    return [];
  }
}

function encodeAssignment([memberId, assignment]: [string, Record<string, number[]>]) {
  const memberAssignment = AssignerProtocol.MemberAssignment.encode({
    version: protocolVersion,
    assignment,
    userData: Buffer.alloc(0),
  });
  return { memberId, memberAssignment };
}
