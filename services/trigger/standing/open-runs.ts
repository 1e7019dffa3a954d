import type { Clock } from '../../../shared/ports/clock.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { RunStore } from '../ports/run-store.ts';

/** A run of which the notice was lost is looked after so much later. */
const goodForMs = 5000;

export interface OpenRunsDeps {
  runStore: Pick<RunStore, 'isAnyOpen'>;
  changes: ChangeFeed;
  clock: Clock;
}

/** Whether there are runs that have not ended: what is done for these alone is not asked for while there are none. */
export interface OpenRuns {
  /** As of some seconds ago, or of the last change of a run. */
  isAny(): Promise<boolean>;
}

export function createOpenRuns({ runStore, changes, clock }: OpenRunsDeps): OpenRuns {
  let answer: Promise<boolean> | undefined;
  let goodUntilMs = -Infinity;
  changes.on('runs', () => {
    answer = undefined;
  });

  function ask(): Promise<boolean> {
    const asked = runStore.isAnyOpen();
    goodUntilMs = clock.monotonicMs() + goodForMs;
    asked.catch(() => {
      if (answer === asked) answer = undefined;
    });
    return (answer = asked);
  }

  return {
    isAny: async () => {
      if (!changes.isConnected()) return true;
      return await (answer !== undefined && clock.monotonicMs() < goodUntilMs ? answer : ask());
    },
  };
}
