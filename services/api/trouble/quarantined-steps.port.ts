import type { RunState } from '../../../shared/domain/run/run-states.ts';

/**
 * `kept`: no person has decided, and its users are unknown. `replayed`: it was opened again. `discarded`: its users
 * stay unknown.
 */
export const quarantineStates = ['kept', 'replayed', 'discarded'] as const;

export type QuarantineState = (typeof quarantineStates)[number];

export interface QuarantineFilter {
  runId?: string | undefined;
  state?: QuarantineState | undefined;
}

/**
 * A step whose calls ended their workers again and again, or took longer than their leases: no worker calls for it any
 * more.
 */
export interface QuarantinedStep {
  quarantineId: string;
  runId: string;
  runState: RunState;
  feedId: string;
  country: string;
  batchNo: number;
  step: number;
  actionType: string;
  state: QuarantineState;
  /** Whose outcome became unknown. */
  users: number;
  /** Leases that lapsed with a call begun. */
  lapses: number;
  /** Of its last lease. */
  worker: string | null;
  since: Date;
  decidedAt: Date | null;
}

/** A call that began for the step, or was lost or answered, as far as it was noted: the first one is not. */
export interface QuarantineCall {
  at: Date;
  /** Null where it was not noted. */
  worker: string | null;
  /** As in a user's history; `lost`: the lease lapsed. */
  reading: string;
  cause: string | null;
}

export interface QuarantineDetail extends QuarantinedStep {
  calls: readonly QuarantineCall[];
  /** The first of those whose outcome is unknown by it. */
  sample: readonly string[];
}

/**
 * - `replayed`: it waits to be called again, now, with the same key.
 * - `decided`: a person has decided before; it stays so.
 * - `run-ended`: work of its run does not start any more. `settled`: some of its users are not unknown any more.
 */
export type ReplayVerdict = 'replayed' | 'decided' | 'run-ended' | 'settled';
