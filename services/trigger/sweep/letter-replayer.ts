import type { Logger } from '../../../shared/runtime/logger.ts';
import type { LetterPublisher, LetterReplays, ReplayedLetter } from '../ports/letter-replays.ts';

const pollEveryMs = 5000;
/** Maximum number of letters per scan, because their bytes are in memory. */
const maxLetters = 50;

export interface LetterReplayerDeps {
  letterReplays: LetterReplays;
  letterPublisher: LetterPublisher;
  isSweeper: () => boolean;
  warn: (message: string, cause: string, fields: object) => void;
  logger: Logger;
}

/**
 * Loop that publishes dead letters again on request of a person. Each topic is handled separately, so that an
 * unavailable topic does not delay others. A crash may publish a letter twice. This is harmless, because the second
 * message finds nothing to claim.
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
    if (!isSweeper()) return pollEveryMs;
    const wanted = await letterReplays.wanted(maxLetters);
    let replayed = 0;
    for (const [topic, letters] of Map.groupBy(wanted, (letter) => letter.topic)) {
      if (await replay(topic, letters)) replayed += letters.length;
    }
    return replayed === maxLetters ? 0 : pollEveryMs;
  }

  return { turn };
}
