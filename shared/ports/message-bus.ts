export interface OutgoingMessage {
  topic: string;
  /** Messages without a key go where the least unhandled work is. */
  key?: string;
  value: string;
}

export interface MessagePublisher {
  /**
   * Resolves only when every message was acknowledged by all in-sync replicas of its partition. Topics do not wait for
   * each other: one that cannot be published to takes seconds to be given up at first, and about 100 ms from then on
   * until it is back.
   * @throws {PublishError} when that is not known of every message; some may have been written all the same.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
}

/** Not every message is known to be on its topic. Publishing all of them again is safe: consumers take repeats. */
export class PublishError extends Error {
  override readonly name = 'PublishError';
  /** The topics of which it is not known; all messages to other topics have been acknowledged. */
  readonly topics: readonly string[];

  constructor(message: string, topics: readonly string[], options?: ErrorOptions) {
    super(message, options);
    this.topics = topics;
  }
}

/**
 * One partition as assigned to this consumer. The same partition assigned again is another lane: what was delivered on
 * the old one and not settled is delivered once more.
 */
export interface Lane {
  readonly topic: string;
  readonly partition: number;
  /** Grows with every assignment of the group, and when a topic was deleted and created anew. */
  readonly assignment: number;
}

export interface LaneMessage {
  readonly lane: Lane;
  readonly offset: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** What a service does with what arrives. Neither method may throw or wait. */
export interface LaneReceiver {
  /**
   * New messages of one lane in offset order. Each has to be settled once; a lane never has more unsettled than its
   * mark.
   */
  deliver(lane: Lane, messages: readonly LaneMessage[]): void;
  /** The lane is gone; settling its messages has no effect any more. Messages not begun should be dropped. */
  revoke(lane: Lane): void;
  /**
   * Whether so much waits with it that the next messages may be gathered for longer: they cost less, and come later.
   */
  isCrowded(): boolean;
}

export interface MessageConsumer {
  /**
   * Creates topics that are missing, joins the group and begins to deliver. Resolves when the group has been joined.
   */
  start(receiver: LaneReceiver): Promise<void>;
  /**
   * From now on these topics in place of those so far. Resolves when the group has been joined with them; all lanes
   * begin anew. The same topics with more partitions get them, and the group notices soon after. Before `start` it only
   * says what will be consumed.
   */
  subscribe(topics: readonly TopicSpec[]): Promise<void>;
  /** The message has been handled. Offsets are committed up to the first message of the lane that is not settled. */
  settle(message: LaneMessage): void;
  /** Delivers nothing more; messages already delivered can still be settled. */
  stopIntake(): void;
  /** Commits what is settled and leaves the group. Safe before start and twice. */
  stop(): Promise<void>;
  /**
   * Whether it is in its group and its lanes move, and if not, why. A missing topic alone is no reason: its shard
   * stands, not this process.
   */
  ready(): ConsumerReadiness;
  /** One entry for each topic subscribed to, also those without a lane here. */
  stats(): TopicStats[];
  /** Resolves with the cause if the consumer died and will not come back by itself: the process should end. */
  readonly crashed: Promise<Error>;
}

export interface ConsumerReadiness {
  ok: boolean;
  cause?: string;
}

export interface TopicStats {
  topic: string;
  /** Partitions assigned to this consumer. */
  lanes: number;
  /** Messages delivered and not settled. */
  unsettled: number;
  /** Messages fetched and held back, as their lanes have enough. */
  held: number;
  /** Messages of this consumer's lanes that are published and not committed; null while unknown. Some seconds old. */
  lag: number | null;
}

export interface TopicSpec {
  topic: string;
  partitions: number;
  replicationFactor: number;
}

export interface TopicAdmin {
  /** Creates what is missing and adds partitions where there are fewer. Safe to repeat and to run twice at once. */
  ensureTopics(specs: readonly TopicSpec[]): Promise<void>;
}

export interface TopicBacklogs {
  /**
   * By topic, how many messages are published and not yet committed by the group that consumes it; null when that is
   * unknown, as for a topic that is missing. Never rejects.
   */
  unhandled(topics: readonly string[]): Promise<Map<string, number | null>>;
}
