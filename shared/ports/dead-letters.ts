import type { LaneMessage } from './message-bus.ts';

export interface DeadLetter {
  message: LaneMessage;
  /** Why it was set aside. */
  reason: string;
}

export interface DeadLetters {
  /**
   * Keeps messages that are set aside, with their bytes and positions, all or none. The same bytes at the same
   * position are kept once; other bytes there are another message, of a topic that was made anew.
   */
  add(letters: readonly DeadLetter[]): Promise<void>;
}

/** A message as it lay on its topic. */
export interface LetterBytes {
  topic: string;
  key: Buffer | null;
  value: Buffer | null;
}
