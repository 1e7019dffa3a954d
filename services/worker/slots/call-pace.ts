/** Factor by which the maximum number of ended calls decays with each flush. */
const keptPerFlush = 0.95;
const newestWeight = 0.02;

export interface CallPace {
  meanMs: number;
  /** Number of calls that ended since the last flush. */
  ended: number;
  /** Recent maximum of the number of calls that ended between two flushes. */
  perFlush: number;
}

export const unmeasured: CallPace = { meanMs: 0, ended: 0, perFlush: 0 };

/**
 * Updates the maximum number of calls that ended between two flushes, and begins a new count. Called after each flush:
 * the claims of a flush use the room of the calls that ended before.
 */
export function measurePace(pace: CallPace): void {
  pace.perFlush = Math.max(pace.ended, pace.perFlush * keptPerFlush);
  pace.ended = 0;
}

export function countCall(pace: CallPace, tookMs: number): void {
  pace.meanMs = meanWith(pace.meanMs, tookMs);
}

/** Returns the new mean duration. It is never 0, because 0 means that nothing was measured yet. */
function meanWith(meanMs: number, tookMs: number): number {
  return Math.max(0.01, meanMs === 0 ? tookMs : meanMs + newestWeight * (tookMs - meanMs));
}
