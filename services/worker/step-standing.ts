import type { StepAdmission } from '../../shared/ports/step-ledger.ts';
import type { StepStanding } from './work.ts';

export function createStanding(feedId: string, step: number): StepStanding {
  return {
    feedId,
    step,
    isAccepted: false,
    hold: null,
    succeeded: 0,
    refused: 0,
    refusedSince: 0,
    refusedAtLift: 0,
    trial: null,
  };
}

/** Takes over what the last look says. A step in which nothing is recorded and that is not held is not in it. */
export function refreshStanding(standing: StepStanding, seen: StepAdmission | undefined): void {
  standing.hold = seen?.hold ?? null;
  standing.succeeded = seen?.succeeded ?? 0;
  standing.refused = seen?.refused ?? 0;
  standing.refusedSince = 0;
  if (standing.succeeded > 0) standing.isAccepted = true;
}
