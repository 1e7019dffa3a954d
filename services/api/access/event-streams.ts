import { HttpProblem } from '../frame/http-problem.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { keyLifeMs } from './remembered-credentials.ts';

/**
 * Streams that one key may hold open in one process: each of its people has a console open, and all of those share what
 * is looked up.
 */
const maxStreamsPerKey = 500;

/** Opens streams that end with their reader, and with the key they were opened with. */
export interface EventStreams {
  /**
   * @param key the key's id
   * @param isKeyGood asked again and again; an error counts as yes, because a database that is away revokes nothing
   * @param gone aborts when the reader has left
   * @returns aborts when the stream has to end
   * @throws {HttpProblem} 429 when the key holds too many
   */
  open(key: string, isKeyGood: () => Promise<boolean>, gone: AbortSignal): AbortSignal;
}

export function createEventStreams({ clock, logger }: { clock: Clock; logger: Logger }): EventStreams {
  const openByKey = new Map<string, number>();

  function add(key: string, change: 1 | -1): void {
    const count = (openByKey.get(key) ?? 0) + change;
    if (count === 0) openByKey.delete(key);
    else openByKey.set(key, count);
  }

  async function watchKey(isKeyGood: () => Promise<boolean>, gone: AbortSignal, end: () => void): Promise<void> {
    const hasLeft = () => gone.aborted;
    while (!hasLeft()) {
      await clock.sleep(keyLifeMs, gone);
      if (hasLeft()) return;
      try {
        if (!(await isKeyGood())) {
          end();
          return;
        }
      } catch (error) {
        logger.warn({ err: error }, 'could not ask whether the key of a stream is still good, asking again');
      }
    }
  }

  return {
    open: (key, isKeyGood, gone) => {
      if ((openByKey.get(key) ?? 0) >= maxStreamsPerKey) throw tooManyStreams();
      add(key, 1);
      gone.addEventListener('abort', () => add(key, -1), { once: true });
      const revoked = new AbortController();
      void watchKey(isKeyGood, gone, () => revoked.abort());
      return AbortSignal.any([gone, revoked.signal]);
    },
  };
}

function tooManyStreams(): HttpProblem {
  const detail = `this key holds ${maxStreamsPerKey} event streams open already; close one, or ask without text/event-stream`;
  return new HttpProblem({ status: 429, code: 'too-many-streams', detail, headers: { 'retry-after': '5' } });
}
