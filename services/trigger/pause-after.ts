/** A question is asked again no sooner than this many times its own duration: it takes at most a twentieth of a connection's time. */
const timesItsDuration = 20;

/** @returns milliseconds to wait after a question that took `tookMs`, at least `atLeastMs` */
export function pauseAfter(tookMs: number, atLeastMs: number): number {
  return Math.max(atLeastMs, tookMs * timesItsDuration);
}
