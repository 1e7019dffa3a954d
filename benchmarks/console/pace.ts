import { setTimeout as wait } from 'node:timers/promises';
import type { LiveRuns } from './live-runs.ts';

export interface Pace {
  /** @returns batches that ended per second, over the whole time */
  stop(): Promise<number>;
}

/**
 * Ends batches of all runs at an even pace until `stop` is called.
 * @param tickMs interval between writes; workers flush at the same interval
 */
export function startPace(runs: LiveRuns, batchesPerSecond: number, tickMs: number): Pace {
  const stopping = new AbortController();
  const startedMs = performance.now();
  let ended = 0;
  const secondsSoFar = () => (performance.now() - startedMs) / 1000;
  const run = async () => {
    while (!stopping.signal.aborted) {
      const due = Math.floor((secondsSoFar() * batchesPerSecond - ended) / runs.places);
      if (due > 0) {
        await runs.advance(due);
        ended += due * runs.places;
      }
      await wait(tickMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  // A failure is reported by `stop`, which awaits this promise. Without this listener the rejection would end the
  // process.
  running.catch(() => undefined);
  return {
    stop: async () => {
      stopping.abort();
      const seconds = secondsSoFar();
      await running;
      return ended / seconds;
    },
  };
}
