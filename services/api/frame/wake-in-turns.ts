/** Streams that write within a turn of the event loop: below a millisecond. */
const wokenAtOnce = 8;

/**
 * Wakes all of them, a few in each turn of the event loop: hundreds of streams that write in one would hold up
 * everything else that is asked for.
 */
export function wakeInTurns(woken: readonly (() => void)[]): void {
  for (const wake of woken.slice(0, wokenAtOnce)) wake();
  if (woken.length > wokenAtOnce) setImmediate(() => wakeInTurns(woken.slice(wokenAtOnce)));
}
