import type { Clock } from '../../../shared/ports/clock.ts';
import { pauseAfter } from '../../../shared/runtime/pause-after.ts';
import type { OpenRuns } from '../standing/open-runs.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { ThrottledWarn } from '../report/throttled-warn.ts';
import type { RunFinisher } from './run-finisher.ts';

const lookEveryMs = 1000;
const goesOnAfterMs = 20;
/** Longest pause after a slow look. It is short, because the look reads only runs that are over. */
const longestPauseMs = 2000;

export interface RunEnderDeps {
  runStore: Pick<RunStore, 'tallies'>;
  finisher: RunFinisher;
  isSweeper: () => boolean;
  openRuns: OpenRuns;
  clock: Clock;
  warn: ThrottledWarn;
}

/**
 * Ends runs that are cancelled or past their deadline. It has a loop of its own, because the keeper's turns are slower:
 * they read all runs, query Kafka, and pause longer after long turns.
 */
export interface RunEnder {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createRunEnder({ runStore, finisher, isSweeper, openRuns, clock, warn }: RunEnderDeps): RunEnder {
  return {
    turn: async () => {
      if (!isSweeper()) return lookEveryMs;
      const startedMs = clock.monotonicMs();
      const tallies = (await openRuns.isAny()) ? await runStore.tallies('over') : [];
      const tookMs = clock.monotonicMs() - startedMs;
      finisher.keepOnly(new Set(tallies.map(({ runId }) => runId)));
      let hasMore = false;
      for (const tally of tallies) {
        try {
          hasMore = (await finisher.finish(tally)) === 'more' || hasMore;
        } catch (error) {
          // If a run cannot be ended, the other runs must still be ended.
          warn('could not end a run, trying again', String(error), { runId: tally.runId });
        }
      }
      return hasMore ? pauseAfter(tookMs, goesOnAfterMs, lookEveryMs) : pauseAfter(tookMs, lookEveryMs, longestPauseMs);
    },
  };
}
