import type { FeedContexts } from '../../../shared/ports/feed-contexts.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { refusedUsers } from './step-standing.ts';
import type { StepStanding } from './work.ts';

/** Between two of these moments, refusals are counted here alone. */
const readEveryMs = 500;

export interface RefusalCountsDeps {
  contexts: Pick<FeedContexts, 'acceptanceOf'>;
  monotonicMs: () => number;
  logger: Logger;
}

/**
 * How many users each step of a run has refused, and whether it accepted any: read where a batch is refused, since
 * others need not know.
 */
export interface RefusalCounts {
  /** Never rejects: where the ledger cannot be asked, the standing stays as it is. */
  refresh(standing: StepStanding): Promise<void>;
}

export function createRefusalCounts({ contexts, monotonicMs, logger }: RefusalCountsDeps): RefusalCounts {
  const readings = new WeakMap<StepStanding, { atMs: number; done: Promise<void> }>();

  async function read(standing: StepStanding): Promise<void> {
    const { feedId, step, refusals } = standing;
    try {
      const { isAccepted, succeeded, refused } = await contexts.acceptanceOf({ feedId, step });
      standing.isAccepted ||= isAccepted;
      // Those that were counted here and are not recorded yet go on counting.
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
