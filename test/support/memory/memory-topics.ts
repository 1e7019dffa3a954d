import { leastLoaded } from '../../../shared/kafka/publisher/placement.ts';
import { PublishError, type OutgoingMessage } from '../../../shared/ports/message-bus.ts';

/** With `delay`, `releaseDelayed` writes the message after all messages until then. */
export type MessageFate = 'keep' | 'drop' | 'duplicate' | 'delay';

export interface StoredMessage {
  readonly partition: number;
  readonly offset: number;
  readonly key: string | undefined;
  readonly value: string;
}

interface MemoryTopic {
  partitions: StoredMessage[][];
  /** Position of the round that decides between partitions with equal load. */
  turn: number;
  writable: boolean;
}

/** Messages on topics, and the faults of publishing. Consumers are separate. */
export interface MemoryTopics {
  ensure(topic: string, partitions: number): void;
  delete(topic: string): void;
  names(): string[];
  /** Returns the messages by partition; empty if there is no such topic. */
  partitionsOf(topic: string): readonly (readonly StoredMessage[])[];
  /** @throws {PublishError} names the topics that refused their messages; other topics have accepted theirs */
  publish(outgoing: readonly OutgoingMessage[]): void;
  failNextPublish(moment: 'before' | 'after'): void;
  setWritable(topic: string, writable: boolean): void;
  disturb(fate: (message: OutgoingMessage) => MessageFate): void;
  releaseDelayed(): void;
}

/** @param unhandled returns the number of unhandled messages of a partition, for the group that has handled fewest */
export function createMemoryTopics(unhandled: (topic: string, partition: number) => number): MemoryTopics {
  const topics = new Map<string, MemoryTopic>();
  let publishFailure: 'before' | 'after' | undefined;
  let fateOf: (message: OutgoingMessage) => MessageFate = () => 'keep';
  let delayed: OutgoingMessage[] = [];

  function append({ topic: name, key, value }: OutgoingMessage): void {
    const topic = topics.get(name);
    if (!topic) return;
    const partition = key === undefined ? place(name, topic) : hash(key) % topic.partitions.length;
    const stored = topic.partitions[partition] ?? [];
    stored.push({ partition, offset: stored.length, key, value });
  }

  function place(name: string, topic: MemoryTopic): number {
    const chosen = leastLoaded(
      topic.partitions.map((_, partition) => unhandled(name, partition)),
      topic.turn,
    );
    topic.turn = chosen + 1;
    return chosen;
  }

  function accept(message: OutgoingMessage): void {
    const fate = fateOf(message);
    if (fate === 'drop') return;
    if (fate === 'delay') delayed.push(message);
    else append(message);
    if (fate === 'duplicate') append(message);
  }

  return {
    ensure: (name, count) => {
      const topic = topics.get(name) ?? { partitions: [], turn: 0, writable: true };
      topics.set(name, topic);
      while (topic.partitions.length < count) topic.partitions.push([]);
    },
    delete: (topic) => void topics.delete(topic),
    names: () => [...topics.keys()],
    partitionsOf: (topic) => topics.get(topic)?.partitions ?? [],
    publish: (outgoing) => {
      const failure = publishFailure;
      publishFailure = undefined;
      const named = [...new Set(outgoing.map(({ topic }) => topic))];
      if (failure === 'before') throw new PublishError('could not publish: refused', named);
      const refused = named.filter((topic) => !topics.get(topic)?.writable);
      for (const message of outgoing) if (!refused.includes(message.topic)) accept(message);
      if (failure === 'after') throw new PublishError('could not publish: no answer', named);
      if (refused.length === 0) return;
      const cause = refused.some((topic) => !topics.has(topic)) ? 'no such topic' : 'not writable';
      throw new PublishError(`could not publish to ${refused.join(', ')}: ${cause}`, refused);
    },
    failNextPublish: (moment) => {
      publishFailure = moment;
    },
    setWritable: (topic, writable) => {
      const known = topics.get(topic);
      if (known) known.writable = writable;
    },
    disturb: (fate) => {
      fateOf = fate;
    },
    releaseDelayed: () => {
      const due = delayed;
      delayed = [];
      due.forEach(append);
    },
  };
}

function hash(key: string): number {
  let sum = 0;
  for (const byte of Buffer.from(key)) sum = (sum * 31 + byte) >>> 0;
  return sum;
}
