/** Factor by which the recent maximum of ended calls decays with each further flush. */
const keptPerFlush = 0.95;
const newestWeight = 0.02;

export interface CallPace {
  meanMs: number;
  /** Calls that ended since the last flush. */
  ended: number;
  /** Highest recent number of calls that ended between two flushes. */
  perFlush: number;
}

export const unmeasured: CallPace = { meanMs: 0, ended: 0, perFlush: 0 };

/**
 * Updates the highest number of ended calls and begins a new count. The ended calls made room for the current claims.
 */
export function measurePace(pace: CallPace): void {
  pace.perFlush = Math.max(pace.ended, pace.perFlush * keptPerFlush);
  pace.ended = 0;
}

export function countCall(pace: CallPace, tookMs: number): void {
  pace.meanMs = meanWith(pace.meanMs, tookMs);
}

/** Returns the new mean. It is never 0, because 0 means no measurement. */
function meanWith(meanMs: number, tookMs: number): number {
  return Math.max(0.01, meanMs === 0 ? tookMs : meanMs + newestWeight * (tookMs - meanMs));
}
