import type { LaneRecord } from './message-bus.ts';

export interface DeadLetters {
  /** Keeps a record that cannot be understood, with its bytes and position. A repeat of the same position is kept once. */
  bury(record: LaneRecord, reason: string): Promise<void>;
}
