export interface TopicMessage {
  topic: string;
  /** Messages of one key go to one partition. */
  key: string;
  headers: Readonly<Record<string, string>>;
  value: Buffer | null;
}

/**
 * - `written`: all in-sync replicas have it.
 * - `refused`: it can never be written as it is: there is no such topic, or it is larger than the topic takes.
 * - `unknown`: no acknowledgement came; it may have been written all the same.
 */
export type TopicWritten =
  | { kind: 'written'; partition: number; offset: string }
  | { kind: 'refused'; cause: string }
  | { kind: 'unknown'; cause: string };

/** Writes to topics of others. One that cannot be written to holds up no other. */
export interface TopicWriter {
  /** Never rejects. */
  write(message: TopicMessage): Promise<TopicWritten>;
}
