import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { ThrottledWarn } from '../throttled-warn.ts';
import { pauseAfter } from './pause-after.ts';
import type { LookFollower } from './run-keeper.ts';
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

/** Keeps the history of runs, for people alone, in a turn of its own: whatever becomes of it, runs are kept. */
export interface HistoryNoter extends LookFollower {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createHistoryNoter({ runHistory, isSweeper, clock, warn, logger }: HistoryNoterDeps): HistoryNoter {
  /** The keeper's looks were at these since the last turn. */
  let seen = new Set<string>();

  async function turn(): Promise<number> {
    const runIds = [...seen];
    seen = new Set();
    if (!isSweeper() || runIds.length === 0) return lookEveryMs;
    const startedMs = clock.monotonicMs();
    try {
      await runHistory.notePoints(runIds);
      for (const { runId, kind } of await runHistory.noteTroubles(runIds))
        logger.info({ runId, kind }, 'noted in the history of a run');
    } catch (error) {
      warn('could not note how runs go, trying again', String(error), {});
    }
    return pauseAfter(clock.monotonicMs() - startedMs, lookEveryMs);
  }

  return {
    turn,
    see: (tallies) => {
      for (const { runId } of tallies) seen.add(runId);
    },
    forget: () => undefined,
  };
}
