import type {
  MessageConsumer,
  MessagePublisher,
  OutgoingMessage,
  TopicAdmin,
  TopicBacklogs,
} from '../../../shared/ports/message-bus.ts';
import type { MessageFate, StoredMessage } from './memory-topics.ts';

/** A bus as tests see it: what lies on it, and what happens to it. */
export interface MemoryBus {
  readonly admin: TopicAdmin;
  publisher(): MessagePublisher;
  /** Topics that are missing are created at its start, as a real consumer does. */
  consumer(groupId: string, topics: readonly string[]): MemoryConsumer;
  backlogs(groupId: string): TopicBacklogs;
  /** Everything on the topic, partition by partition in offset order; nothing when there is no such topic. */
  messages(topic: string): readonly StoredMessage[];
  /** The next publish of any process fails: before it writes, or after it has written. */
  failNextPublish(moment: 'before' | 'after'): void;
  /** With all that lies on it and what groups have committed. Its consumers keep their other topics. */
  deleteTopic(topic: string): void;
  /** Sets whether publishing to the topic succeeds. */
  setWritable(topic: string, writable: boolean): void;
  /** Sets the fate of each message from now on, after its acknowledgement. */
  disturb(fate: (message: OutgoingMessage) => MessageFate): void;
  /** Writes what was delayed, in its order. */
  releaseDelayed(): void;
}

export interface MemoryConsumer extends MessageConsumer {
  /** Drops out of the group without a commit, as a killed process does; its receiver hears nothing any more. */
  crash(): void;
}

export interface MemoryBusOptions {
  /** Topics that are there from the start; others come by `ensureTopics` or by their consumers. */
  topics?: readonly string[];
  /** Partitions of each topic. */
  partitions?: number;
  /** Unsettled messages that a lane has at most; it gets more below half of it. */
  laneHighMark?: number;
}
