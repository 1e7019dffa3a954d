import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { ThrottledWarn } from '../report/throttled-warn.ts';
import { pauseAfter } from '../../../shared/runtime/pause-after.ts';
import type { PassFollower } from './run-keeper.ts';
import type { RunHistory } from '../ports/run-history.ts';
import type { RunTally } from '../ports/run-store.ts';

const pollEveryMs = 1000;

export interface HistoryNoterDeps {
  runHistory: RunHistory;
  isSweeper: () => boolean;
  clock: Clock;
  warn: ThrottledWarn;
  logger: Logger;
}

/**
 * Records the history of runs, which is only displayed to users. The loop is separate from the keeper, so that its
 * faults do not affect the keeper.
 */
export interface HistoryNoter extends PassFollower {
  /**
   * Writes the changes that the keeper's scans have found since the last turn.
   * @returns milliseconds until the next turn
   */
  turn: () => Promise<number>;
}

export function createHistoryNoter({ runHistory, isSweeper, clock, warn, logger }: HistoryNoterDeps): HistoryNoter {
  /** Number of ended users by run, from the keeper's scans since the last turn of this loop. */
  let seen = new Map<string, number>();

  async function turn(): Promise<number> {
    const points = [...seen].map(([runId, ended]) => ({ runId, ended }));
    seen = new Map();
    if (!isSweeper() || points.length === 0) return pollEveryMs;
    const startedMs = clock.monotonicMs();
    try {
      await runHistory.notePoints(points);
      for (const { runId, kind } of await runHistory.noteTroubles(points.map((point) => point.runId)))
        logger.info({ runId, kind }, 'noted in the history of a run');
    } catch (error) {
      warn('could not note how runs go, trying again', String(error), {});
    }
    return pauseAfter(clock.monotonicMs() - startedMs, pollEveryMs);
  }

  return {
    turn,
    see: (tallies) => {
      for (const tally of tallies) seen.set(tally.runId, endedUsersOf(tally));
    },
    forget: () => undefined,
  };
}

/**
 * Returns the number of ended users. Expired and cancelled users are not included, because they do not show how fast a
 * run is.
 */
export function endedUsersOf({ feeds }: RunTally): number {
  return feeds
    .flatMap(({ totals }) => totals)
    .reduce(
      (sum, { succeeded, failed, unknown, suppressed = 0 }) => sum + succeeded + failed + unknown + suppressed,
      0,
    );
}
