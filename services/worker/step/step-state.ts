import type { HoldKind } from '../../../shared/domain/step/holds.ts';
import type { StepHold } from '../../../shared/ports/feed-contexts.ts';
import type { KnownHold, StepRefusals, StepState } from './work.ts';

export function createStepState(feedId: string, step: number, refusals: StepRefusals): StepState {
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

export function refusedUsers({ refusals }: StepState): number {
  return refusals.refused + refusals.refusedSince;
}

export function isHeld({ fault, quietHours }: StepState): boolean {
  return fault.current !== null || quietHours.current !== null;
}

/**
 * Replaces the known holds of the step by those of the last read.
 * @param seen holds of the feed
 * @param readAtMs time at which the read began
 */
export function refreshStepState(standing: StepState, seen: readonly StepHold[], readAtMs: number): void {
  const { fault, quietHours } = standing;
  const faultBefore = fault.current;
  refresh(fault, seenHold(seen, standing, 'fault'), readAtMs);
  if (faultBefore && !fault.current) standing.refusedAtLift = refusedUsers(standing);
  refresh(quietHours, seenHold(seen, standing, 'quiet-hours'), readAtMs);
}

function seenHold(seen: readonly StepHold[], { step }: StepState, kind: HoldKind): StepHold | null {
  return seen.find((hold) => hold.step === step && hold.kind === kind) ?? null;
}

/**
 * Applies one hold, unless this worker has written the hold since the read began, because the read may have missed that
 * write.
 */
function refresh(known: KnownHold, seen: StepHold | null, lookedAtMs: number): void {
  if (known.changedAtMs < lookedAtMs) known.current = seen;
}
