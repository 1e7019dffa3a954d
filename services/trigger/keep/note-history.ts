import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { ThrottledWarn } from '../throttled-warn.ts';
import { pauseAfter } from './pause-after.ts';
import type { RunHistory } from './run-history.port.ts';

const lookEveryMs = 1000;

export interface HistoryNoterDeps {
  runHistory: RunHistory;
  /** Whether this trigger is the one that looks after all runs. */
  isSweeper: () => boolean;
  clock: Clock;
  warn: ThrottledWarn;
  logger: Logger;
}

/**
 * Keeps the history of all runs, for people alone, in a turn of its own: whatever becomes of it, runs are kept.
 *
 * @returns a turn, which resolves with the milliseconds until the next one
 */
export function createHistoryNoter({ runHistory, isSweeper, clock, warn, logger }: HistoryNoterDeps) {
  return async (): Promise<number> => {
    if (!isSweeper()) return lookEveryMs;
    const startedMs = clock.monotonicMs();
    try {
      await runHistory.notePoints();
      for (const { runId, kind } of await runHistory.noteTroubles())
        logger.info({ runId, kind }, 'noted in the history of a run');
    } catch (error) {
      warn('could not note how runs go, trying again', String(error), {});
    }
    return pauseAfter(clock.monotonicMs() - startedMs, lookEveryMs);
  };
}
