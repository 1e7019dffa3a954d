export interface OutgoingMessage {
  topic: string;
  /** Messages without a key go to the partition with the fewest unhandled messages. */
  key?: string;
  value: string;
}

export interface MessagePublisher {
  /**
   * Resolves once all in-sync replicas of their partitions have acknowledged the messages. Topics do not wait for each
   * other. The first failure of a topic takes seconds; later failures take about 100 ms, until the topic is back.
   * @throws {PublishError} if a message may not have been acknowledged; some messages may have been written all the
   * same.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
}

/** Some messages may not be on their topic. Publishing all messages again is safe: consumers tolerate repeats. */
export class PublishError extends Error {
  override readonly name = 'PublishError';
  /** Topics with an unacknowledged message; all messages to other topics have been acknowledged. */
  readonly topics: readonly string[];

  constructor(message: string, topics: readonly string[], options?: ErrorOptions) {
    super(message, options);
    this.topics = topics;
  }
}

/**
 * A partition as assigned to this consumer. If the same partition is assigned again, it is another lane: unsettled
 * messages of the old lane are delivered again.
 */
export interface Lane {
  readonly topic: string;
  readonly partition: number;
  /** Increases with every assignment of the group, and when a topic was deleted and created again. */
  readonly assignment: number;
}

export interface LaneMessage {
  readonly lane: Lane;
  readonly offset: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** Receiver of a service for delivered messages. Neither method may throw or wait. */
export interface LaneReceiver {
  /**
   * Receives new messages of one lane in offset order. The receiver must settle each message once. A lane never has
   * more unsettled messages than its limit.
   */
  deliver(lane: Lane, messages: readonly LaneMessage[]): void;
  /**
   * Reports that the lane is gone. Settling its messages has no effect any more, and messages that have not begun
   * should be dropped.
   */
  revoke(lane: Lane): void;
  /** Returns true if the receiver's queue is long. Larger batches of messages then cost less, but arrive later. */
  isCrowded(): boolean;
}

export interface MessageConsumer {
  /** Creates missing topics, joins the group and begins to deliver. Resolves when the group has been joined. */
  start(receiver: LaneReceiver): Promise<void>;
  /**
   * Replaces the consumed topics. Resolves when the group has been joined with the new topics; all lanes begin anew. If
   * only partition counts grow, the consumer adds partitions, and the group notices soon after. Before `start` the call
   * only stores the topics.
   */
  subscribe(topics: readonly TopicSpec[]): Promise<void>;
  /** Marks the message as handled. Offsets are committed up to the first unsettled message of the lane. */
  settle(message: LaneMessage): void;
  /** Stops delivery; messages that are already delivered can still be settled. */
  stopIntake(): void;
  /** Commits settled offsets and leaves the group. Safe to call before `start` and to call twice. */
  stop(): Promise<void>;
  /**
   * Returns whether the consumer is in its group and its lanes move, and otherwise the cause. A missing topic alone
   * does not count: it stops its shard, not this process.
   */
  ready(): ConsumerReadiness;
  /** Returns an entry for each subscribed topic, also for topics without a lane here. */
  stats(): TopicStats[];
  /** Resolves with the cause if the consumer died and cannot recover by itself: the process should end. */
  readonly crashed: Promise<Error>;
}

export interface ConsumerReadiness {
  ok: boolean;
  cause?: string;
}

export interface TopicStats {
  topic: string;
  lanes: number;
  unsettled: number;
  /** Messages that are fetched but not delivered, because their lanes are full. */
  held: number;
  /** Published and uncommitted messages of this consumer's lanes; null while unknown. The count is some seconds old. */
  lag: number | null;
}

export interface TopicSpec {
  topic: string;
  partitions: number;
  replicationFactor: number;
}

export interface TopicAdmin {
  /** Creates missing topics and adds missing partitions. Safe to repeat and to run concurrently. */
  ensureTopics(specs: readonly TopicSpec[]): Promise<void>;
}

export interface TopicBacklogs {
  /**
   * Returns, by topic, the number of published messages that the consuming group has not committed. Null means unknown,
   * for example for a missing topic. Never rejects.
   */
  unhandled(topics: readonly string[]): Promise<Map<string, number | null>>;
}
