import type { Logger } from '../../../shared/runtime/logger.ts';
import type { LetterPublisher, LetterReplays, ReplayedLetter } from '../ports/letter-replays.ts';

const lookEveryMs = 5000;
/** Letters in one look: their bytes are in memory. */
const maxLetters = 50;

export interface LetterReplayerDeps {
  letterReplays: LetterReplays;
  letterPublisher: LetterPublisher;
  /** Whether this trigger is the one that looks after all runs. */
  isSweeper: () => boolean;
  warn: (message: string, cause: string, fields: object) => void;
  logger: Logger;
}

/**
 * Publishes dead letters again that a person wants to be: topic by topic, so that one which cannot be written holds up
 * no other. A crash in between publishes one twice, which the claims make harmless.
 */
export interface LetterReplayer {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createLetterReplayer(deps: LetterReplayerDeps): LetterReplayer {
  const { letterReplays, letterPublisher, isSweeper, warn, logger } = deps;

  async function replay(topic: string, letters: readonly ReplayedLetter[]): Promise<boolean> {
    try {
      await letterPublisher.publish(letters);
    } catch (error) {
      warn('could not publish dead letters again, trying again', String(error), { topic });
      return false;
    }
    await letterReplays.settle(letters.map(({ letterId }) => letterId));
    logger.info({ topic, letters: letters.length }, 'published dead letters again');
    return true;
  }

  async function turn(): Promise<number> {
    if (!isSweeper()) return lookEveryMs;
    const wanted = await letterReplays.wanted(maxLetters);
    let replayed = 0;
    for (const [topic, letters] of Map.groupBy(wanted, (letter) => letter.topic)) {
      if (await replay(topic, letters)) replayed += letters.length;
    }
    return replayed === maxLetters ? 0 : lookEveryMs;
  }

  return { turn };
}
