import type { LaneMessage } from './message-bus.ts';

export interface DeadLetters {
  /** Keeps a record that cannot be understood, with its bytes and position. A repeat of the same position is kept once. */
  deadLetter(record: LaneMessage, reason: string): Promise<void>;
}
