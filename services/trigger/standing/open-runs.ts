import type { Clock } from '../../../shared/ports/clock.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { RunStore } from '../ports/run-store.ts';

/** Time in milliseconds for which an answer is used. A run whose notification was lost waits up to this long. */
const goodForMs = 5000;

export interface OpenRunsDeps {
  runStore: Pick<RunStore, 'isAnyOpen'>;
  changes: ChangeFeed;
  clock: Clock;
}

/** Tells loops whether any run is open, so that they do no work for open runs while there is none. */
export interface OpenRuns {
  /**
   * Returns true if any run is open. The answer may be a few seconds old, but if a run has changed since, and its
   * notification has arrived, the database is queried again.
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
