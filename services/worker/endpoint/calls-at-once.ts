/**
 * Share of a pool's concurrency that is added as a reserve for feeds with few calls, so that they need not wait until a
 * hanging call ends.
 */
const floorPart = 1 / 16;

/**
 * Returns a pool's capacity: its `concurrency` plus the reserve for feeds with few calls. Hanging calls whose slots are
 * lent to other feeds do not count.
 */
export function withReserve(concurrency: number): number {
  return concurrency + Math.floor(concurrency * floorPart);
}

/**
 * Returns the maximum number of calls in flight: the capacity plus the hanging calls whose slots are lent to other
 * feeds.
 */
export function withLent(concurrency: number): number {
  return withReserve(concurrency) + concurrency;
}
