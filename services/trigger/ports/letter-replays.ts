import type { LetterBytes } from '../../../shared/ports/dead-letters.ts';

export interface ReplayedLetter extends LetterBytes {
  letterId: string;
}

/** Dead letters (messages that a consumer could not process) that a person has requested to publish again. */
export interface LetterReplays {
  /** Returns up to `limit` letters to publish again, oldest first. */
  wanted(limit: number): Promise<ReplayedLetter[]>;
  settle(letterIds: readonly string[]): Promise<void>;
}

/** Publishes the original bytes of dead letters to their original topics. */
export interface LetterPublisher {
  /**
   * Publishes the letters. Resolves when Kafka has acknowledged all of them.
   * @throws if it is unknown whether all letters were published
   */
  publish(letters: readonly LetterBytes[]): Promise<void>;
}
