import type { RunState } from '../../../shared/domain/run/run-states.ts';
import type { Page } from '../frame/page.port.ts';

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

export interface QuarantinedSteps {
  /**
   * Newest first; `cursor` is the id of the last one of the page before.
   * @throws {InvalidCursorError} when it is no id
   */
  list(filter: QuarantineFilter, limit: number, cursor: string | null): Promise<Page<QuarantinedStep>>;
  find(quarantineId: string, sample: number): Promise<QuarantineDetail | undefined>;
  /**
   * Opens the step again: its users are pending instead of unknown, and it waits to be called, now, under the same key,
   * which is open. It is a suspect from its first call on. Only while the run goes on or is paused, and whole: totals
   * change in the same transaction. Undefined when there is none.
   */
  replay(quarantineId: string): Promise<ReplayVerdict | undefined>;
  /** Says that it was seen. Its users stay unknown. Returns it as it is then; undefined when there is none. */
  discard(quarantineId: string): Promise<QuarantinedStep | undefined>;
}
