import { tryHeldEveryMs } from '../../../shared/domain/step/holds.ts';
import type { HeldStep, StepHolds } from '../../../shared/ports/step-holds.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { refusedUsers } from './step-state.ts';
import type { KnownHold, StepState } from './work.ts';

/**
 * Holds of steps. No call of a held step is made, either because of a fault that a person must fix, or because of quiet
 * hours. The two kinds of holds are independent. `standing` contains what this worker knows about the holds of a step.
 * No method rejects: if the store cannot be reached, `standing` changes nevertheless.
 */
export interface HeldSteps {
  /**
   * Returns true if the step has no fault, or if this batch may make the trial call. Returns false if the store cannot
   * be reached.
   */
  mayCall(standing: StepState): Promise<boolean>;
  /** Holds the step until a person has fixed the cause. From now on, no call of the step begins. */
  holdForFault(standing: StepState, cause: string): Promise<void>;
  /** Ends the fault after a user was accepted. */
  endFault(standing: StepState): Promise<void>;
  holdForQuietHours(standing: StepState, cause: string, endsInMs: number): Promise<void>;
  endQuietHours(standing: StepState): Promise<void>;
}

export interface HeldStepsDeps {
  holds: StepHolds;
  monotonicMs: () => number;
  logger: Logger;
}

export function createHeldSteps({ holds, monotonicMs, logger }: HeldStepsDeps): HeldSteps {
  async function mayCall({ feedId, step, fault }: StepState): Promise<boolean> {
    if (fault.current === null) return true;
    if (!fault.current.tryDue) return false;
    // One batch has requested the trial call, so others need not. The next read shows when the next one is due.
    fault.current = { ...fault.current, tryDue: false };
    try {
      return await holds.mayTry({ feedId, step }, tryHeldEveryMs);
    } catch (error) {
      logger.warn({ err: error, feedId, step }, 'could not ask whether a held step may be tried');
      return false;
    }
  }

  /** Changes a hold. Until the change is written, no read replaces the state. */
  async function change(known: KnownHold, current: KnownHold['current'], write: () => Promise<void>): Promise<void> {
    known.current = current;
    known.changedAtMs = Number.POSITIVE_INFINITY;
    await write();
    known.changedAtMs = monotonicMs();
  }

  async function hold(known: KnownHold, held: HeldStep): Promise<void> {
    const { feedId, step, kind, cause } = held;
    await change(known, { cause, tryDue: false }, async () => {
      try {
        await holds.hold([held]);
      } catch (error) {
        logger.warn(
          { err: error, feedId, step, kind },
          'could not hold a step, its next batch will find the cause again',
        );
      }
    });
  }

  async function lift(known: KnownHold, { feedId, step, kind }: Pick<HeldStep, 'feedId' | 'step' | 'kind'>) {
    await change(known, null, async () => {
      try {
        await holds.lift({ feedId, step }, kind);
      } catch (error) {
        logger.warn({ err: error, feedId, step, kind }, 'could not lift the hold of a step, its next try will');
      }
    });
  }

  return {
    mayCall,
    holdForFault: ({ feedId, step, fault }, cause) => hold(fault, { feedId, step, kind: 'fault', cause }),
    endFault: (standing) => {
      const { feedId, step, fault } = standing;
      standing.refusedAtLift = refusedUsers(standing);
      return lift(fault, { feedId, step, kind: 'fault' });
    },
    holdForQuietHours: ({ feedId, step, quietHours }, cause, endsInMs) =>
      hold(quietHours, { feedId, step, kind: 'quiet-hours', cause, endsInMs }),
    endQuietHours: ({ feedId, step, quietHours }) => lift(quietHours, { feedId, step, kind: 'quiet-hours' }),
  };
}
