import type { OwnOutcome } from '../../domain/step/outcomes.ts';
import { aloneFromLapses } from '../../domain/step/suspects.ts';

/** What the numbers in the execution tables stand for. They are stored: never give one a new meaning. */
export const stepState = { running: 1, waiting: 2, done: 3 } as const;

/** Outcome of the users of a done step that have no row of their own. */
export const restCode = { succeeded: 1, expired: 2, cancelled: 3 } as const;

export const failureCode = { failed: 2, suppressed: 4, unknown: 8 } as const;

/**
 * Outcome of a user who was unknown and was settled as succeeded. The row stays: it says why the user did not go on to
 * the next step. It is no failure.
 */
export const settledAsSucceeded = 1;

export function failureOutcome(code: number): OwnOutcome {
  if (code === failureCode.failed) return 'failed';
  if (code === failureCode.suppressed) return 'suppressed';
  if (code === failureCode.unknown) return 'unknown';
  throw new Error(`a failure was stored with the outcome ${code}, which means nothing`);
}

/** As `failureOutcome`, for readers to whom those who were settled as succeeded matter too. */
export function ownOutcome(code: number): OwnOutcome | 'succeeded' {
  return code === settledAsSucceeded ? 'succeeded' : failureOutcome(code);
}

export function stateOfStep(code: number): keyof typeof stepState {
  if (code === stepState.running) return 'running';
  if (code === stepState.waiting) return 'waiting';
  if (code === stepState.done) return 'done';
  throw new Error(`a step was stored with the state ${code}, which means nothing`);
}

export function outcomeOfRest(code: number): keyof typeof restCode {
  if (code === restCode.succeeded) return 'succeeded';
  if (code === restCode.expired) return 'expired';
  if (code === restCode.cancelled) return 'cancelled';
  throw new Error(`a done step was stored with the outcome ${code}, which means nothing`);
}

/**
 * So many leases of a step may lapse with a call begun, the first, uncertain one included, before it is claimed no
 * more. Those from `aloneFromLapses` on lapsed while no other suspect was under way
 * (docs/decisions/0022-quarantined-steps.md).
 */
export const quarantinedAfterLapses = aloneFromLapses + 4;

/** Triggers write their own slot of the totals, apart from the workers', which count from 0. */
export const triggerSlot = -1;

/** Settlements as well. When a run ends, its totals are merged into this slot. */
export const settlementSlot = -2;
