import { createWatermark, type Watermark } from '../../../shared/domain/watermark.ts';
import {
  PublishError,
  type Lane,
  type LaneReceiver,
  type MessageConsumer,
  type MessagePublisher,
  type OutgoingMessage,
  type TopicAdmin,
} from '../../../shared/ports/message-bus.ts';
import { atOnce } from './at-once.ts';

export interface MemoryBus {
  readonly admin: TopicAdmin;
  publisher(): MessagePublisher;
  consumer(groupId: string, topics: readonly string[]): MemoryConsumer;
  /** Everything on the topic, partition by partition in offset order; nothing when there is no such topic. */
  messages(topic: string): readonly StoredMessage[];
  /** The next publish of anybody fails: before it writes, or after it has written. */
  failNextPublish(moment: 'before' | 'after'): void;
}

export interface MemoryConsumer extends MessageConsumer {
  /** Drops out of the group without a commit, as a killed process does; its receiver hears nothing any more. */
  crash(): void;
}

export interface StoredMessage {
  readonly partition: number;
  readonly offset: number;
  readonly key: string | undefined;
  readonly value: string;
}

export interface MemoryBusOptions {
  /** Topics that are there from the start; others come by `ensureTopics`. */
  topics?: readonly string[];
  /** How many partitions each of them has. */
  partitions?: number;
}

interface MemoryTopic {
  partitions: StoredMessage[][];
  /** Whose turn it is to get a message without a key. */
  turn: number;
}

interface Group {
  members: Set<Member>;
  /** By partition, the offset that a new lane begins at. */
  committed: Map<string, number>;
  assignment: number;
}

interface Member {
  readonly topics: readonly string[];
  readonly receiver: LaneReceiver;
  lanes: Map<Lane, MemoryLane>;
  intakeStopped: boolean;
  turnIsDue: boolean;
}

interface MemoryLane {
  readonly lane: Lane;
  readonly watermark: Watermark;
  next: number;
}

/**
 * A broker in memory, without timers: messages are delivered in microtasks, always in the same order. Offsets are committed only when a
 * consumer stops or its group changes, so that a crash brings back all since then, which is the worst that a real consumer's commit
 * interval can do.
 */
export function createMemoryBus({ topics = [], partitions = 1 }: MemoryBusOptions = {}): MemoryBus {
  const log = new Map<string, MemoryTopic>();
  const groups = new Map<string, Group>();
  let publishFailure: 'before' | 'after' | undefined;

  for (const topic of topics) ensure(topic, partitions);

  function ensure(name: string, count: number): void {
    const topic = log.get(name) ?? { partitions: [], turn: 0 };
    log.set(name, topic);
    while (topic.partitions.length < count) topic.partitions.push([]);
  }

  function append({ topic: name, key, value }: OutgoingMessage): void {
    const topic = log.get(name);
    if (!topic) return;
    const partition = (key === undefined ? topic.turn++ : hash(key)) % topic.partitions.length;
    const messages = topic.partitions[partition] ?? [];
    messages.push({ partition, offset: messages.length, key, value });
  }

  function publish(messages: readonly OutgoingMessage[]): void {
    const failure = publishFailure;
    publishFailure = undefined;
    if (failure === 'before') throw new PublishError('could not publish: refused');
    const missing = messages.find(({ topic }) => !log.has(topic));
    if (missing) throw new PublishError(`could not publish to ${missing.topic}: no such topic`);
    messages.forEach(append);
    for (const { members } of groups.values()) members.forEach(scheduleTurn);
    if (failure === 'after') throw new PublishError('could not publish: no answer');
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
    // What came before in this turn may have ended the lane.
    if (member.intakeStopped || !member.lanes.has(lane)) return;
    const stored = log.get(lane.topic)?.partitions[lane.partition]?.slice(state.next) ?? [];
    if (stored.length === 0) return;
    state.next += stored.length;
    const messages = stored.map(({ offset, key, value }) => {
      watermark.deliver(offset);
      return { lane, offset, key: key === undefined ? null : Buffer.from(key), value: Buffer.from(value) };
    });
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

  /** All lanes end, and each partition goes to a member in turn. */
  function rebalance(group: Group): void {
    const members = [...group.members];
    for (const member of members) commit(group, member);
    members.forEach(revokeAll);
    group.assignment += 1;
    let turn = 0;
    for (const [topic, { partitions: existing }] of log) {
      const candidates = members.filter((member) => member.topics.includes(topic));
      if (candidates.length === 0) continue;
      for (let partition = 0; partition < existing.length; partition++) {
        const lane = { topic, partition, assignment: group.assignment };
        const next = group.committed.get(keyOf(lane)) ?? 0;
        candidates[turn++ % candidates.length]?.lanes.set(lane, { lane, watermark: createWatermark(), next });
      }
    }
    members.forEach(scheduleTurn);
  }

  function createConsumer(groupId: string, subscribed: readonly string[]): MemoryConsumer {
    const group = joinOrCreate(groupId);
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

    return {
      start: (receiver) =>
        atOnce(() => {
          const missing = subscribed.find((topic) => !log.has(topic));
          if (missing !== undefined) throw new Error(`cannot consume ${missing}: no such topic`);
          member = { topics: subscribed, receiver, lanes: new Map(), intakeStopped: false, turnIsDue: false };
          group.members.add(member);
          rebalance(group);
        }),
      settle: ({ lane, offset }) => {
        member?.lanes.get(lane)?.watermark.settle(offset);
      },
      stopIntake: () => {
        if (member) member.intakeStopped = true;
      },
      stop: () => atOnce(() => leave(true)),
      crashed: new Promise(() => undefined),
      crash: () => leave(false),
    };
  }

  return {
    admin: {
      ensureTopics: (specs) =>
        atOnce(() => {
          for (const { topic, partitions: count } of specs) ensure(topic, count);
          groups.forEach(rebalance);
        }),
    },
    publisher: () => ({ publish: (messages) => atOnce(() => publish(messages)) }),
    consumer: createConsumer,
    messages: (topic) => log.get(topic)?.partitions.flat() ?? [],
    failNextPublish: (moment) => {
      publishFailure = moment;
    },
  };
}

function keyOf({ topic, partition }: Lane): string {
  return `${topic}/${partition}`;
}

function hash(key: string): number {
  let sum = 0;
  for (const byte of Buffer.from(key)) sum = (sum * 31 + byte) >>> 0;
  return sum;
}
