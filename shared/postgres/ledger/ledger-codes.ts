import type { OwnOutcome } from '../../domain/step/outcomes.ts';
import { aloneFromLapses } from '../../domain/step/suspects.ts';

/** Codes of the execution tables. They are stored: never give a code a new meaning. */
export const stepState = { running: 1, waiting: 2, done: 3 } as const;

/** Outcome of those users of a done step that have no row of their own. */
export const restCode = { succeeded: 1, expired: 2, cancelled: 3 } as const;

export const failureCode = { failed: 2, suppressed: 4, unknown: 8 } as const;

/**
 * Outcome code of an unknown user who was settled as succeeded; not a failure. The row explains why the user did not
 * continue.
 */
export const settledAsSucceeded = 1;

export function failureOutcome(code: number): OwnOutcome {
  if (code === failureCode.failed) return 'failed';
  if (code === failureCode.suppressed) return 'suppressed';
  if (code === failureCode.unknown) return 'unknown';
  throw new Error(`a failure was stored with the outcome ${code}, which means nothing`);
}

/** Returns the outcome as `failureOutcome` does, and also accepts users settled as succeeded. */
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
 * Number of lapsed leases with a begun call, including the first, uncertain one, after which a step is quarantined.
 * Leases from `aloneFromLapses` on lapsed while no other step under suspicion was under way
 * (docs/decisions/0022-quarantined-steps.md).
 */
export const quarantinedAfterLapses = aloneFromLapses + 4;

/** Slot of the totals that triggers write, apart from the workers' slots, which count from 0. */
export const triggerSlot = -1;

/** Slot that settlements write. When a run ends, its totals are merged into this slot. */
export const settlementSlot = -2;
