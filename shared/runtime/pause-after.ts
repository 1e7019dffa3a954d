/**
 * A question is asked again no sooner than this many times its own duration: it takes at most a twentieth of a
 * connection's time.
 */
const timesItsDuration = 20;
/** One that waited for a lock says nothing of the next: the rest is not longer. */
const longestPauseMs = 10_000;

/** @returns milliseconds to wait after a question that took `tookMs`, at least `atLeastMs` and at most `atMostMs` */
export function pauseAfter(tookMs: number, atLeastMs: number, atMostMs = longestPauseMs): number {
  return Math.max(atLeastMs, Math.min(tookMs * timesItsDuration, atMostMs));
}
