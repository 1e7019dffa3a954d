/**
 * Share of a pool's concurrency that is added for feeds with few calls, so that they need not wait until a hung call
 * ends.
 */
const floorPart = 1 / 16;

/**
 * Returns a pool's capacity: its `concurrency` plus the reserve for feeds with few calls. Hung calls whose slots are
 * lent do not count.
 */
export function withReserve(concurrency: number): number {
  return concurrency + Math.floor(concurrency * floorPart);
}

/** Returns the greatest number of calls in flight: the capacity plus the hung calls whose slots other feeds use. */
export function withLent(concurrency: number): number {
  return withReserve(concurrency) + concurrency;
}
