import type { LetterBytes } from '../../../shared/ports/dead-letters.ts';

export interface ReplayedLetter extends LetterBytes {
  letterId: string;
}

/** Dead letters that a person wants to be published again. */
export interface LetterReplays {
  /** Oldest first. */
  wanted(limit: number): Promise<ReplayedLetter[]>;
  settle(letterIds: readonly string[]): Promise<void>;
}

/** Publishes the original bytes to the original topics. */
export interface LetterPublisher {
  /** Resolves when all letters are acknowledged. @throws when that is not known */
  publish(letters: readonly LetterBytes[]): Promise<void>;
}
