import { AssignerProtocol, type Assigner } from 'kafkajs';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createKafka } from '../client/connection.ts';
import { partitionAssigners } from './partition-assigner.ts';

const kafka = createKafka({ brokers: ['127.0.0.1:1'], clientId: 'test', logger: pino({ level: 'silent' }) });

/** Returns assigners of one member, whose metadata has these numbers of partitions. */
function member(known: Readonly<Record<string, number>>): Assigner[] {
  const cluster = {
    ...kafka.cluster(),
    findTopicPartitionMetadata: (topic: string) =>
      Array.from({ length: known[topic] ?? 0 }, (_, partitionId) => ({
        partitionId,
        partitionErrorCode: 0,
        leader: 1,
        replicas: [1],
        isr: [1],
      })),
  };
  const config: Parameters<ReturnType<typeof partitionAssigners>[number]>[0] = {
    cluster,
    groupId: 'g',
    logger: kafka.admin().logger(),
  };
  return partitionAssigners().map((createAssigner) => createAssigner(config));
}

function named(name: string, assigners: readonly Assigner[]): Assigner {
  const found = assigners.find((assigner) => assigner.name === name);
  if (!found) throw new Error(`no assigner ${name}`);
  return found;
}

/** Returns the metadata that kafkajs' own assigner sends. */
function oldMetadata(topics: string[]): Buffer {
  return AssignerProtocol.MemberMetadata.encode({ version: 0, topics, userData: Buffer.alloc(0) });
}

async function assignmentBy(leader: Assigner, topics: string[], members: Record<string, Buffer>) {
  const assigned = await leader.assign({
    topics,
    members: Object.entries(members).map(([memberId, memberMetadata]) => ({ memberId, memberMetadata })),
  });
  return Object.fromEntries(
    assigned.map(({ memberId, memberAssignment }) => [
      memberId,
      AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment,
    ]),
  );
}

describe('the partition assigner of a consumer group', () => {
  it('assigns topics of other members that its leader does not subscribe to', async () => {
    const leader = named('muster-rendezvous', member({ award: 2 }));
    const other = named('muster-rendezvous', member({ message: 3 }));
    const assignment = await assignmentBy(leader, ['award'], {
      a: leader.protocol({ topics: ['award'] }).metadata,
      b: other.protocol({ topics: ['message'] }).metadata,
    });
    expect(assignment).toEqual({ a: { award: [0, 1] }, b: { message: [0, 1, 2] } });
  });

  it("leads members with kafkajs' own assigner, and assigns only topics they subscribe to", async () => {
    const leader = named('RoundRobinAssigner', member({ award: 2, message: 2 }));
    const assignment = await assignmentBy(leader, ['award', 'message'], {
      new: leader.protocol({ topics: ['award', 'message'] }).metadata,
      old: oldMetadata(['message']),
    });
    expect(assignment['new']?.['award']).toEqual([0, 1]);
    expect([assignment['new']?.['message']?.length, assignment['old']?.['message']?.length]).toEqual([1, 1]);
  });

  it('uses the highest number of partitions that a member knows of a topic', async () => {
    const behind = named('muster-rendezvous', member({ award: 2 }));
    const ahead = named('muster-rendezvous', member({ award: 4 }));
    const assignment = await assignmentBy(behind, ['award'], {
      a: behind.protocol({ topics: ['award'] }).metadata,
      b: ahead.protocol({ topics: ['award'] }).metadata,
    });
    expect([...(assignment['a']?.['award'] ?? []), ...(assignment['b']?.['award'] ?? [])].sort()).toEqual([0, 1, 2, 3]);
  });

  it('changes its metadata if it learns of more partitions, but not if a topic disappears', () => {
    const known = { award: 2 };
    const assigner = named('muster-rendezvous', member(known));
    const metadata = () => assigner.protocol({ topics: ['award'] }).metadata.toString('hex');
    const before = metadata();
    known.award = 0;
    const gone = metadata();
    known.award = 3;
    expect([gone === before, metadata() === before]).toEqual([true, false]);
  });
});
