import type { LetterBytes } from '../../../shared/ports/dead-letters.ts';

export interface ReplayedLetter extends LetterBytes {
  letterId: string;
}

/** Dead letters (messages that could not be processed) that a person wants to be published again. */
export interface LetterReplays {
  /** Returns letters that a person wants to be published again, oldest first. */
  wanted(limit: number): Promise<ReplayedLetter[]>;
  settle(letterIds: readonly string[]): Promise<void>;
}

/** Publishes the original bytes to the original topics. */
export interface LetterPublisher {
  /**
   * Publishes the letters. Resolves when Kafka has acknowledged all of them.
   * @throws if it is unknown whether all letters were published
   */
  publish(letters: readonly LetterBytes[]): Promise<void>;
}
