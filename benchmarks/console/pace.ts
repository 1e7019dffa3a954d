import { setTimeout as wait } from 'node:timers/promises';
import type { LiveRuns } from './live-runs.ts';

export interface Pace {
  /** @returns batches that ended per second, over the whole time */
  stop(): Promise<number>;
}

/**
 * Lets batches of the runs end at a pace, all together, until it is stopped. @param tickMs so often rows are written:
 * workers flush as often
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
  // The caller that stops it is told.
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
