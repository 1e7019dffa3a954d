/** Share of the highest number of calls ended between two flushes that is left after each further flush. */
const keptPerFlush = 0.95;
/** Weight of the newest call in the mean. */
const newestWeight = 0.02;

/** The pace at which slots come free. */
export interface CallPace {
  meanMs: number;
  /** Calls that ended since the last flush. */
  ended: number;
  /** Highest recent number of calls that ended between two flushes. */
  perFlush: number;
}

export const unmeasured: CallPace = { meanMs: 0, ended: 0, perFlush: 0 };

/** Begins a new count of ended calls: those of the last one made room for what is claimed now. */
export function measurePace(pace: CallPace): void {
  pace.perFlush = Math.max(pace.ended, pace.perFlush * keptPerFlush);
  pace.ended = 0;
}

/** Counts a call that ended after so long among those of the mean. */
export function countCall(pace: CallPace, tookMs: number): void {
  pace.meanMs = meanWith(pace.meanMs, tookMs);
}

/** Returns the new mean. It is never 0, which stands for no measurement. */
function meanWith(meanMs: number, tookMs: number): number {
  return Math.max(0.01, meanMs === 0 ? tookMs : meanMs + newestWeight * (tookMs - meanMs));
}
