import type { SourceGuard } from '../../../shared/domain/endpoint/source-guard.ts';

export interface RouteLine {
  readonly guard: SourceGuard;
  inFlight: number;
  /** Number of claimed jobs that wait for a slot. */
  waiting: number;
  lastBeginMs: number;
  /**
   * Monotonic time of the last response or quick failure. If a later call began when no call was in flight, the time at
   * which that call began.
   */
  silentSinceMs: number;
  /** True if the last call that ended got no response and occupied its slot for long. */
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
