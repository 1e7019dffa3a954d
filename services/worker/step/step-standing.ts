import type { HoldKind } from '../../../shared/domain/step/holds.ts';
import type { StepHold } from '../../../shared/ports/feed-contexts.ts';
import type { KnownHold, StepRefusals, StepStanding } from './work.ts';

export function createStanding(feedId: string, step: number, refusals: StepRefusals): StepStanding {
  return {
    feedId,
    step,
    isAccepted: false,
    fault: { current: null, changedAtMs: Number.NEGATIVE_INFINITY },
    quietHours: { current: null, changedAtMs: Number.NEGATIVE_INFINITY },
    refusals,
    refusedAtLift: 0,
    trial: null,
  };
}

export function refusedUsers({ refusals }: StepStanding): number {
  return refusals.refused + refusals.refusedSince;
}

export function isHeld({ fault, quietHours }: StepStanding): boolean {
  return fault.current !== null || quietHours.current !== null;
}

/**
 * Replaces the known holds of the step by those of the last read.
 * @param seen holds of the feed
 * @param lookedAtMs time at which the read began
 */
export function refreshStanding(standing: StepStanding, seen: readonly StepHold[], lookedAtMs: number): void {
  const { fault, quietHours } = standing;
  const faultBefore = fault.current;
  refresh(fault, seenHold(seen, standing, 'fault'), lookedAtMs);
  if (faultBefore && !fault.current) standing.refusedAtLift = refusedUsers(standing);
  refresh(quietHours, seenHold(seen, standing, 'quiet-hours'), lookedAtMs);
}

function seenHold(seen: readonly StepHold[], { step }: StepStanding, kind: HoldKind): StepHold | null {
  return seen.find((hold) => hold.step === step && hold.kind === kind) ?? null;
}

/** Skips a hold that was written since the read began, because the read may have missed that. */
function refresh(known: KnownHold, seen: StepHold | null, lookedAtMs: number): void {
  if (known.changedAtMs < lookedAtMs) known.current = seen;
}
