import type {
  MessageConsumer,
  MessagePublisher,
  OutgoingMessage,
  TopicAdmin,
  TopicBacklogs,
} from '../../../shared/ports/message-bus.ts';
import type { MessageFate, StoredMessage } from './memory-topics.ts';

/** A bus as tests see it: its messages, and its faults. */
export interface MemoryBus {
  readonly admin: TopicAdmin;
  publisher(): MessagePublisher;
  /** Creates a consumer. Missing topics are created at its start, as by a real consumer. */
  consumer(groupId: string, topics: readonly string[]): MemoryConsumer;
  backlogs(groupId: string): TopicBacklogs;
  /** Returns all messages on the topic, partition by partition in offset order. Empty if there is no such topic. */
  messages(topic: string): readonly StoredMessage[];
  /** Makes the next publish of any process fail, before or after it has written. */
  failNextPublish(moment: 'before' | 'after'): void;
  /** Deletes a topic with its messages and the offsets of groups. Its consumers keep their other topics. */
  deleteTopic(topic: string): void;
  /** Sets whether publishing to the topic succeeds. */
  setWritable(topic: string, writable: boolean): void;
  /** Sets the function that decides about each later message after its acknowledgement. */
  disturb(fate: (message: OutgoingMessage) => MessageFate): void;
  /** Writes delayed messages in their order. */
  releaseDelayed(): void;
}

export interface MemoryConsumer extends MessageConsumer {
  /** Leaves the group without a commit, like a killed process. Its receiver gets no more messages. */
  crash(): void;
}

export interface MemoryBusOptions {
  /** Topics that exist from the start. Others are created by `ensureTopics` or by their consumers. */
  topics?: readonly string[];
  /** Number of partitions of each topic. */
  partitions?: number;
  /** Highest number of unsettled messages in a lane. The lane gets more messages below half of it. */
  laneHighMark?: number;
}
