import type { FeedContexts } from '../../../shared/ports/feed-contexts.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { refusedUsers } from './step-state.ts';
import type { StepState } from './work.ts';

/** Milliseconds between two reads. In between, only the refusals on this worker are added. */
const readEveryMs = 500;

export interface RefusalCountsDeps {
  contexts: Pick<FeedContexts, 'acceptanceOf'>;
  monotonicMs: () => number;
  logger: Logger;
}

/**
 * Counts, by step of a run, the users whom the endpoint has refused, and whether the endpoint accepted any user. The
 * counts are read only when a batch is refused.
 */
export interface RefusalCounts {
  /** Reads the counts into `standing`. Never rejects: if the ledger cannot be read, `standing` is unchanged. */
  refresh(standing: StepState): Promise<void>;
}

export function createRefusalCounts({ contexts, monotonicMs, logger }: RefusalCountsDeps): RefusalCounts {
  const readings = new WeakMap<StepState, { atMs: number; done: Promise<void> }>();

  async function read(standing: StepState): Promise<void> {
    const { feedId, step, refusals } = standing;
    try {
      const { isAccepted, succeeded, refused } = await contexts.acceptanceOf({ feedId, step });
      standing.isAccepted ||= isAccepted;
      // Refusals that this worker has counted and that are not recorded yet are kept.
      const refusedSince = Math.max(0, refusedUsers(standing) - refused);
      Object.assign(refusals, { succeeded, refused, refusedSince });
    } catch (error) {
      logger.warn({ err: error, feedId, step }, 'could not read how many users a step refused');
    }
  }

  return {
    refresh: (standing) => {
      const last = readings.get(standing);
      if (last && monotonicMs() - last.atMs < readEveryMs) return last.done;
      const done = read(standing);
      readings.set(standing, { atMs: monotonicMs(), done });
      return done;
    },
  };
}
