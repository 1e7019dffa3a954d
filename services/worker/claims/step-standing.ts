import type { StepHold } from '../../../shared/ports/feed-contexts.ts';
import type { StepRefusals, StepStanding } from '../work.ts';

export function createStanding(feedId: string, step: number, refusals: StepRefusals): StepStanding {
  return {
    feedId,
    step,
    isAccepted: false,
    hold: null,
    holdChangedAtMs: Number.NEGATIVE_INFINITY,
    refusals,
    refusedAtLift: 0,
    trial: null,
  };
}

/** Of the run, so far. */
export function refusedUsers({ refusals }: StepStanding): number {
  return refusals.refused + refusals.refusedSince;
}

/** Takes over what the last look says. @param lookedAtMs when the look began */
export function refreshStanding(standing: StepStanding, seen: StepHold | undefined, lookedAtMs: number): void {
  // Not where a hold was written meanwhile, which the look may have missed.
  if (standing.holdChangedAtMs >= lookedAtMs) return;
  if (standing.hold && !seen) standing.refusedAtLift = refusedUsers(standing);
  standing.hold = seen ?? null;
}
