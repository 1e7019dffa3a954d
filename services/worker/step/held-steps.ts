import { tryHeldEveryMs } from '../../../shared/domain/step/holds.ts';
import type { StepHolds } from '../../../shared/ports/step-holds.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { refusedUsers } from '../claims/step-standing.ts';
import type { StepStanding } from '../work.ts';

export interface HeldSteps {
  /** Whether a step may be called: it is not held, or this is its try. When that cannot be found out, it may not. */
  mayCall(standing: StepStanding): boolean | Promise<boolean>;
  /** Holds the step with its cause. Nothing of it is called from now on, whether or not the store could be reached. */
  hold(standing: StepStanding, cause: string, endsInMs?: number): Promise<void>;
  /** A user was accepted: the step is held no longer. */
  lift(standing: StepStanding): Promise<void>;
}

export interface HeldStepsDeps {
  holds: StepHolds;
  monotonicMs: () => number;
  logger: Logger;
}

/**
 * Steps of feeds in which no call is made before a person has mended something; what it knows is in their standings.
 */
export function createHeldSteps({ holds, monotonicMs, logger }: HeldStepsDeps): HeldSteps {
  async function mayTry(standing: StepStanding): Promise<boolean> {
    if (!standing.hold?.tryDue) return false;
    // One asker is enough; the next look says when the next try is due.
    standing.hold = { ...standing.hold, tryDue: false };
    const { feedId, step } = standing;
    try {
      return await holds.mayTry({ feedId, step }, tryHeldEveryMs);
    } catch (error) {
      logger.warn({ err: error, feedId, step }, 'could not ask whether a held step may be tried');
      return false;
    }
  }

  return {
    mayCall: (standing) => standing.hold === null || mayTry(standing),
    hold: async (standing, cause, endsInMs) => {
      const { feedId, step } = standing;
      standing.hold = { cause, tryDue: false };
      // No look that began before the store knew says more than this.
      standing.holdChangedAtMs = Number.POSITIVE_INFINITY;
      try {
        await holds.hold([{ feedId, step, cause, endsInMs }]);
      } catch (error) {
        logger.warn({ err: error, feedId, step }, 'could not hold a step, its next batch will find the cause again');
      }
      standing.holdChangedAtMs = monotonicMs();
    },
    lift: async (standing) => {
      const { feedId, step } = standing;
      standing.hold = null;
      standing.holdChangedAtMs = Number.POSITIVE_INFINITY;
      standing.refusedAtLift = refusedUsers(standing);
      try {
        await holds.lift({ feedId, step });
      } catch (error) {
        logger.warn({ err: error, feedId, step }, 'could not lift the hold of a step, its next try will');
      }
      standing.holdChangedAtMs = monotonicMs();
    },
  };
}
