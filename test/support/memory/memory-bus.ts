import { createWatermark, type Watermark } from '../../../shared/domain/watermark.ts';
import {
  type Lane,
  type LaneReceiver,
  type OutgoingMessage,
  type TopicSpec,
} from '../../../shared/ports/message-bus.ts';
import { atOnce } from './at-once.ts';
import type { MemoryBus, MemoryBusOptions, MemoryConsumer } from './memory-bus-interface.ts';
import { createMemoryTopics } from './memory-topics.ts';

interface Group {
  members: Set<Member>;
  /** Offset by partition at which a new lane begins. */
  committed: Map<string, number>;
  assignment: number;
}

interface Member {
  topics: readonly string[];
  readonly receiver: LaneReceiver;
  lanes: Map<Lane, MemoryLane>;
  intakeStopped: boolean;
  turnIsDue: boolean;
}

interface MemoryLane {
  readonly lane: Lane;
  readonly watermark: Watermark;
  next: number;
  full: boolean;
}

/**
 * A broker in memory without timers: messages are delivered in microtasks, always in the same order, and a lane holds
 * no more than its mark. Offsets are committed only when a consumer stops or its group changes. So a crash redelivers
 * all messages since then, which is the worst case of a real commit interval.
 */
export function createMemoryBus(options: MemoryBusOptions = {}): MemoryBus {
  const { topics = [], partitions = 1, laneHighMark = 16 } = options;
  const laneLowMark = Math.ceil(laneHighMark / 2);
  const groups = new Map<string, Group>();
  const log = createMemoryTopics(unhandledOf);
  for (const topic of topics) log.ensure(topic, partitions);

  function endOf(topic: string, partition: number): number {
    return log.partitionsOf(topic)[partition]?.length ?? 0;
  }

  /** Returns the number of unhandled messages of a partition, for the group that has handled fewest. */
  function unhandledOf(topic: string, partition: number): number {
    const end = endOf(topic, partition);
    const positions = Array.from(groups.values())
      .filter(({ members }) => Array.from(members).some((member) => member.topics.includes(topic)))
      .map((group) => positionIn(group, topic, partition));
    return end - Math.min(end, ...positions);
  }

  /** Returns the position that the group would have committed by now. */
  function positionIn(group: Group, topic: string, partition: number): number {
    for (const { lanes } of group.members) {
      for (const { lane, watermark } of lanes.values()) {
        if (lane.topic === topic && lane.partition === partition && watermark.position !== undefined) {
          return watermark.position;
        }
      }
    }
    return group.committed.get(keyOf({ topic, partition })) ?? 0;
  }

  function publish(outgoing: readonly OutgoingMessage[]): void {
    try {
      log.publish(outgoing);
    } finally {
      scheduleAll();
    }
  }

  function scheduleAll(): void {
    for (const { members } of groups.values()) members.forEach(scheduleTurn);
  }

  function scheduleTurn(member: Member): void {
    if (member.turnIsDue) return;
    member.turnIsDue = true;
    queueMicrotask(() => {
      member.turnIsDue = false;
      for (const lane of [...member.lanes.values()]) deliver(member, lane);
    });
  }

  function deliver(member: Member, state: MemoryLane): void {
    const { lane, watermark } = state;
    // An earlier message of this turn may have ended the lane.
    if (member.intakeStopped || !member.lanes.has(lane)) return;
    if (state.full && watermark.unsettled >= laneLowMark) return;
    const stored = log.partitionsOf(lane.topic)[lane.partition] ?? [];
    const due = stored.slice(state.next, state.next + laneHighMark - watermark.unsettled);
    if (due.length === 0) return;
    state.next += due.length;
    const messages = due.map(({ offset, key, value }) => {
      watermark.deliver(offset);
      return { lane, offset, key: key === undefined ? null : Buffer.from(key), value: Buffer.from(value) };
    });
    state.full = watermark.unsettled >= laneHighMark;
    member.receiver.deliver(lane, messages);
  }

  function joinOrCreate(groupId: string): Group {
    const group = groups.get(groupId) ?? { members: new Set(), committed: new Map(), assignment: 0 };
    groups.set(groupId, group);
    return group;
  }

  function commit(group: Group, { lanes }: Member): void {
    for (const { lane, watermark } of lanes.values()) {
      if (watermark.position !== undefined) group.committed.set(keyOf(lane), watermark.position);
    }
  }

  function revokeAll(member: Member): void {
    const revoked = [...member.lanes.keys()];
    member.lanes = new Map();
    for (const lane of revoked) member.receiver.revoke(lane);
  }

  /** Ends all lanes and assigns the partitions to the subscribers in turn. */
  function rebalance(group: Group): void {
    const members = [...group.members];
    for (const member of members) commit(group, member);
    members.forEach(revokeAll);
    group.assignment += 1;
    let turn = 0;
    for (const topic of log.names()) {
      const candidates = members.filter((member) => member.topics.includes(topic));
      if (candidates.length === 0) continue;
      for (let partition = 0; partition < log.partitionsOf(topic).length; partition++) {
        const lane = { topic, partition, assignment: group.assignment };
        const next = group.committed.get(keyOf(lane)) ?? 0;
        candidates[turn++ % candidates.length]?.lanes.set(lane, {
          lane,
          watermark: createWatermark(),
          next,
          full: false,
        });
      }
    }
    members.forEach(scheduleTurn);
  }

  function deleteTopic(topic: string): void {
    const deleted = log.partitionsOf(topic);
    log.delete(topic);
    for (const group of groups.values()) {
      rebalance(group);
      deleted.forEach((_, partition) => group.committed.delete(keyOf({ topic, partition })));
    }
  }

  function createConsumer(groupId: string, subscribed: readonly string[]): MemoryConsumer {
    const group = joinOrCreate(groupId);
    let wanted: readonly string[] = subscribed;
    let member: Member | undefined;

    function leave(inOrder: boolean): void {
      const leaving = member;
      member = undefined;
      if (!leaving) return;
      group.members.delete(leaving);
      if (inOrder) {
        commit(group, leaving);
        revokeAll(leaving);
      }
      leaving.lanes = new Map();
      rebalance(group);
    }

    function createMissing(specs: readonly Pick<TopicSpec, 'topic' | 'partitions'>[]): void {
      const missing = specs.filter(({ topic, partitions: count }) => log.partitionsOf(topic).length < count);
      for (const { topic, partitions: count } of missing) log.ensure(topic, count);
      if (missing.length > 0) groups.forEach(rebalance);
    }

    return {
      start: (receiver) =>
        atOnce(() => {
          createMissing(
            wanted.filter((topic) => log.partitionsOf(topic).length === 0).map((topic) => ({ topic, partitions })),
          );
          member = { topics: wanted, receiver, lanes: new Map(), intakeStopped: false, turnIsDue: false };
          group.members.add(member);
          rebalance(group);
        }),
      subscribe: (specs) =>
        atOnce(() => {
          wanted = specs.map(({ topic }) => topic);
          if (!member) return;
          createMissing(specs);
          const before = member.topics;
          member.topics = wanted;
          if (before.length !== wanted.length || !wanted.every((topic) => before.includes(topic))) rebalance(group);
        }),
      settle: ({ lane, offset }) => {
        const state = member?.lanes.get(lane);
        state?.watermark.settle(offset);
        if (member && state?.full) scheduleTurn(member);
      },
      stopIntake: () => {
        if (member) member.intakeStopped = true;
      },
      stop: () => atOnce(() => leave(true)),
      ready: () => (member ? { ok: true } : { ok: false, cause: `not in group ${groupId}` }),
      stats: () =>
        wanted.map((topic) => {
          const lanes = [...(member?.lanes.values() ?? [])].filter(({ lane }) => lane.topic === topic);
          return {
            topic,
            lanes: lanes.length,
            unsettled: lanes.reduce((sum, { watermark }) => sum + watermark.unsettled, 0),
            held: 0,
            lag: lanes.reduce(
              (sum, { lane: { partition } }) => sum + endOf(topic, partition) - positionIn(group, topic, partition),
              0,
            ),
          };
        }),
      crashed: new Promise(() => undefined),
      crash: () => leave(false),
    };
  }

  return {
    admin: {
      ensureTopics: (specs) =>
        atOnce(() => {
          for (const { topic, partitions: count } of specs) log.ensure(topic, count);
          groups.forEach(rebalance);
        }),
    },
    publisher: () => ({ publish: (outgoing) => atOnce(() => publish(outgoing)) }),
    consumer: createConsumer,
    backlogs: (groupId) => ({
      unhandled: (requested) =>
        atOnce(() => {
          const group = joinOrCreate(groupId);
          return new Map(
            requested.map((topic) => {
              const stored = log.partitionsOf(topic);
              const sum = stored.reduce(
                (total, { length }, partition) => total + length - positionIn(group, topic, partition),
                0,
              );
              return [topic, stored.length === 0 ? null : sum];
            }),
          );
        }),
    }),
    messages: (topic) => log.partitionsOf(topic).flat(),
    failNextPublish: (moment) => log.failNextPublish(moment),
    deleteTopic,
    setWritable: (topic, writable) => log.setWritable(topic, writable),
    disturb: (fate) => log.disturb(fate),
    releaseDelayed: () => {
      log.releaseDelayed();
      scheduleAll();
    },
  };
}

function keyOf({ topic, partition }: Pick<Lane, 'topic' | 'partition'>): string {
  return `${topic}/${partition}`;
}
