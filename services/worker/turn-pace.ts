import type { Clock } from '../../shared/ports/clock.ts';
import type { StepOutcomes } from './call/step-outcomes.ts';
import type { Checks } from './checks/checks.ts';
import type { BeginMarks } from './claims/begin-marks.ts';
import { checkStopsEveryMs } from './claims/stopped-feeds.ts';
import type { Flushes } from './flushes.ts';
import type { StepQueue } from './intake/step-queue.ts';
import type { TimedSteps } from './intake/timed-steps.ts';
import type { CallSlots } from './slots/call-slots.ts';
import { quickFlushMs } from './slots/flush-pace.ts';

/** Number of results at which a flush is made at once. Fewer results wait until the next flush is due. */
const largeGroup = 200;
/** Maximum pause in milliseconds. Limits that grow with time, and probes, are checked at least this often. */
const idleMs = 1000;

export interface TurnPaceDeps {
  outcomes: StepOutcomes;
  begins: BeginMarks;
  queue: StepQueue;
  timedSteps: TimedSteps;
  slots: CallSlots;
  checks: Checks;
  flushes: Pick<Flushes, 'lastMs'>;
  clock: Clock;
}

/** Determines the pauses of the worker: within a turn until the flush is due, and between two turns. */
export interface TurnPace {
  untilFlush(): Promise<void>;
  /**
   * Begins the calls for which there are free slots now. Returns the pause in milliseconds after a turn without a
   * flush.
   */
  untilNext(): number;
}

export function createTurnPace(deps: TurnPaceDeps): TurnPace {
  const { outcomes, begins, queue, timedSteps, slots, checks, flushes, clock } = deps;

  async function untilFlush(): Promise<void> {
    while (outcomes.waiting < largeGroup) {
      const isAwaited = begins.waiting().length > 0;
      const betweenMs = isAwaited ? quickFlushMs : slots.betweenFlushesMs(queue.topics());
      const leftMs = betweenMs - (clock.monotonicMs() - flushes.lastMs);
      if (leftMs <= 0) return;
      // Sleeps in short parts, because work that arrives meanwhile may make the flush due earlier.
      await clock.sleep(Math.min(Math.ceil(leftMs), quickFlushMs));
    }
  }

  function untilNext(): number {
    slots.resume();
    checks.slots.resume();
    const nextInMs = Math.min(slots.nextCallInMs(queue.topics()), checks.slots.nextCallInMs([]), timedSteps.nextInMs());
    const soonestMs = Math.max(quickFlushMs, Math.ceil(nextInMs));
    const isAnyWaiting = slots.waitingFeeds().length + checks.slots.waitingFeeds().length > 0;
    return Math.min(isAnyWaiting ? checkStopsEveryMs : idleMs, soonestMs);
  }

  return { untilFlush, untilNext };
}
