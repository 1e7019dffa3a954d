import type { SourceGuard } from '../../../shared/domain/endpoint/source-guard.ts';

export interface RouteLine {
  readonly guard: SourceGuard;
  inFlight: number;
  /** Claimed jobs without a slot. */
  waiting: number;
  lastBeginMs: number;
  /** Time of the last answer or quick failure, or of the first call in flight since. */
  silentSinceMs: number;
  /** True if the last call that ended has held its slot for long without an answer. */
  isSilent: boolean;
  lastEndMs: number;
  /** Time at which the job released last comes back. */
  backAtMs: number;
}

export function newRouteLine(guard: SourceGuard): RouteLine {
  const never = -Infinity;
  const times = { lastBeginMs: never, silentSinceMs: never, lastEndMs: never, backAtMs: never };
  return { guard, inFlight: 0, waiting: 0, isSilent: false, ...times };
}
