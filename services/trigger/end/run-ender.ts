import type { Clock } from '../../../shared/ports/clock.ts';
import { pauseAfter } from '../../../shared/runtime/pause-after.ts';
import type { OpenRuns } from '../standing/open-runs.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { ThrottledWarn } from '../report/throttled-warn.ts';
import type { RunFinisher } from './run-finisher.ts';

const pollEveryMs = 1000;
const goesOnAfterMs = 20;
/** Maximum pause in milliseconds after a slow scan. It may be short, because a scan reads only runs that are over. */
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
 * Loop that ends runs that are cancelled or past their deadline. It is separate from the keeper, whose turns are
 * slower: the keeper reads all runs, queries Kafka, and makes longer pauses.
 */
export interface RunEnder {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createRunEnder({ runStore, finisher, isSweeper, openRuns, clock, warn }: RunEnderDeps): RunEnder {
  return {
    turn: async () => {
      if (!isSweeper()) return pollEveryMs;
      const startedMs = clock.monotonicMs();
      const tallies = (await openRuns.isAny()) ? await runStore.tallies('over') : [];
      const tookMs = clock.monotonicMs() - startedMs;
      finisher.keepOnly(new Set(tallies.map(({ runId }) => runId)));
      let hasMore = false;
      for (const tally of tallies) {
        try {
          hasMore = (await finisher.finish(tally)) === 'more' || hasMore;
        } catch (error) {
          // If one run cannot be ended, the loop continues with the other runs.
          warn('could not end a run, trying again', String(error), { runId: tally.runId });
        }
      }
      return hasMore ? pauseAfter(tookMs, goesOnAfterMs, pollEveryMs) : pauseAfter(tookMs, pollEveryMs, longestPauseMs);
    },
  };
}
