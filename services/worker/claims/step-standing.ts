import type { StepAdmission } from '../../../shared/ports/step-ledger.ts';
import type { StepStanding } from '../work.ts';

export function createStanding(feedId: string, step: number): StepStanding {
  return {
    feedId,
    step,
    isAccepted: false,
    hold: null,
    holdChangedAtMs: Number.NEGATIVE_INFINITY,
    succeeded: 0,
    refused: 0,
    refusedSince: 0,
    refusedAtLift: 0,
    trial: null,
  };
}

/**
 * Takes over what the last look says. A step in which nothing is recorded and that is not held is not in it. @param
 * lookedAtMs when the look began
 */
export function refreshStanding(standing: StepStanding, seen: StepAdmission | undefined, lookedAtMs: number): void {
  // Not where a hold was written meanwhile, which the look may have missed.
  if (standing.holdChangedAtMs < lookedAtMs) standing.hold = seen?.hold ?? null;
  standing.succeeded = seen?.succeeded ?? 0;
  standing.refused = seen?.refused ?? 0;
  standing.refusedSince = 0;
  if (standing.succeeded > 0) standing.isAccepted = true;
}
