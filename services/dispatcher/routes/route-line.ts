import type { SourceGuard } from '../../../shared/domain/endpoint/source-guard.ts';

export interface RouteLine {
  readonly guard: SourceGuard;
  inFlight: number;
  /** Claimed jobs without a slot. */
  waiting: number;
  lastBeginMs: number;
  /**
   * Monotonic time of the last response or quick failure. If later calls began after a pause, the time at which the
   * first of them began.
   */
  silentSinceMs: number;
  /** True if the last ended call got no response and occupied its slot for long. */
  isSilent: boolean;
  lastEndMs: number;
  /** Monotonic time at which the last released job is due again. */
  backAtMs: number;
}

export function newRouteLine(guard: SourceGuard): RouteLine {
  const never = -Infinity;
  const times = { lastBeginMs: never, silentSinceMs: never, lastEndMs: never, backAtMs: never };
  return { guard, inFlight: 0, waiting: 0, isSilent: false, ...times };
}
