import type { LetterBytes } from '../../../shared/ports/dead-letters.ts';

export interface ReplayedLetter extends LetterBytes {
  letterId: string;
}

/** Dead letters that a person wants published again. */
export interface LetterReplays {
  /** Oldest first. */
  wanted(limit: number): Promise<ReplayedLetter[]>;
  /** They are published. */
  settle(letterIds: readonly string[]): Promise<void>;
}

/** Publishes bytes as they were, to the topics that they came from. */
export interface LetterPublisher {
  /** Resolves when all of them are acknowledged. @throws when that is not known */
  publish(letters: readonly LetterBytes[]): Promise<void>;
}
