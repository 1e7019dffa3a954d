/** Maximum number of streams that write in one turn of the event loop. They take less than a millisecond. */
const wokenAtOnce = 8;

/** Wakes a few streams in each turn of the event loop, because waking hundreds at once would block other requests. */
export function wakeInBatches(woken: readonly (() => void)[]): void {
  for (const wake of woken.slice(0, wokenAtOnce)) wake();
  if (woken.length > wokenAtOnce) setImmediate(() => wakeInBatches(woken.slice(wokenAtOnce)));
}
