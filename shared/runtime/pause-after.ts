/** Minimum pause as a multiple of a query's duration: queries take at most a twentieth of a connection's time. */
const timesItsDuration = 20;
/** Upper bound: a query that waited for a lock does not predict the next one. */
const longestPauseMs = 10_000;

/** @returns milliseconds to wait after a query that took `tookMs`, at least `atLeastMs` and at most `atMostMs` */
export function pauseAfter(tookMs: number, atLeastMs: number, atMostMs = longestPauseMs): number {
  return Math.max(atLeastMs, Math.min(tookMs * timesItsDuration, atMostMs));
}
