import type { LaneMessage } from './message-bus.ts';

export interface DeadLetter {
  message: LaneMessage;
  reason: string;
}

export interface DeadLetters {
  /**
   * Stores quarantined messages with their bytes and positions, all or none. The same bytes at the same position are
   * stored once. Other bytes at that position are another message, from a topic that was deleted and created again.
   */
  add(letters: readonly DeadLetter[]): Promise<void>;
}

export interface LetterBytes {
  topic: string;
  key: Buffer | null;
  value: Buffer | null;
}
