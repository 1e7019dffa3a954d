export interface TopicMessage {
  topic: string;
  /** Messages with the same key go to one partition. */
  key: string;
  headers: Readonly<Record<string, string>>;
  value: Buffer | null;
}

/**
 * Result of a write.
 * - `written`: all in-sync replicas have the message.
 * - `refused`: the message can never be written as it is: there is no such topic, or the message exceeds the topic's
 *   limit.
 * - `unknown`: no acknowledgement came; the message may have been written all the same.
 */
export type TopicWritten =
  | { kind: 'written'; partition: number; offset: string }
  | { kind: 'refused'; cause: string }
  | { kind: 'unknown'; cause: string };

/** Writer to topics that others own. A topic that cannot be written to delays no other topic. */
export interface TopicWriter {
  write(message: TopicMessage): Promise<TopicWritten>;
}
