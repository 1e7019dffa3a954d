export interface OutgoingMessage {
  topic: string;
  /** Records without a key are spread over the partitions in turn. */
  key?: string;
  value: string;
}

export interface MessagePublisher {
  /**
   * Resolves only when every record was acknowledged by all in-sync replicas of its partition.
   * @throws {PublishError} when that is not known of every record; some may have been written all the same.
   */
  publish(records: readonly OutgoingMessage[]): Promise<void>;
}

/** Not every record is known to be on the topic. Publishing all of them again is safe: consumers take repeats. */
export class PublishError extends Error {
  override readonly name = 'PublishError';
}

/**
 * One partition as assigned to this consumer. The same partition assigned again is another lane: what was delivered on the old one and
 * not settled is delivered once more.
 */
export interface Lane {
  readonly topic: string;
  readonly partition: number;
  /** Grows with every assignment of the group. */
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
  /** New records of one lane in offset order. Each has to be settled once. */
  deliver(lane: Lane, records: readonly LaneMessage[]): void;
  /** The lane is gone; settling its records has no effect any more. Records not begun should be dropped. */
  revoke(lane: Lane): void;
}

export interface MessageConsumer {
  /** Joins the group and begins to deliver. Resolves when the group has been joined. */
  start(receiver: LaneReceiver): Promise<void>;
  /** The record has been handled. Offsets are committed up to the first record of the lane that is not settled. */
  settle(record: LaneMessage): void;
  /** Delivers nothing more; records already delivered can still be settled. */
  stopIntake(): void;
  /** Commits what is settled and leaves the group. Safe before start and twice. */
  stop(): Promise<void>;
  /** Resolves with the cause if the consumer died and will not come back by itself: the process should end. */
  readonly crashed: Promise<Error>;
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
  /** By topic, how many messages nobody has handled yet; null where that is not known. */
  unhandled(topics: readonly string[]): Promise<Map<string, number | null>>;
}
