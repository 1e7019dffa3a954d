import type { Clock } from '../../../shared/ports/clock.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { RunStore } from '../ports/run-store.ts';

/**
 * Time in milliseconds for which an answer is used. If the notification of a run is lost, the run waits for up to this
 * time.
 */
const goodForMs = 5000;

export interface OpenRunsDeps {
  runStore: Pick<RunStore, 'isAnyOpen'>;
  changes: ChangeFeed;
  clock: Clock;
}

/** Reports whether any run is open, so that work for open runs is skipped while there is none. */
export interface OpenRuns {
  /**
   * Returns true if any run is open. The answer may be a few seconds old, but not older than the last change of a run.
   */
  isAny(): Promise<boolean>;
}

export function createOpenRuns({ runStore, changes, clock }: OpenRunsDeps): OpenRuns {
  let answer: Promise<boolean> | undefined;
  let goodUntilMs = -Infinity;
  changes.on('runs', () => {
    answer = undefined;
  });

  function ask(): Promise<boolean> {
    const request = runStore.isAnyOpen();
    goodUntilMs = clock.monotonicMs() + goodForMs;
    request.catch(() => {
      if (answer === request) answer = undefined;
    });
    return (answer = request);
  }

  return {
    isAny: async () => {
      if (!changes.isConnected()) return true;
      return await (answer !== undefined && clock.monotonicMs() < goodUntilMs ? answer : ask());
    },
  };
}
