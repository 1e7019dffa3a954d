/** Beyond a pool's concurrency, for feeds with hardly a call under way: they need not wait until a hung call ends. */
const floorPart = 1 / 16;

/** Number of calls that count at once where `concurrency` says how many busy feeds have. */
export function withFloor(concurrency: number): number {
  return concurrency + Math.floor(concurrency * floorPart);
}

/** Greatest number of calls at once, with those that hang and whose slots are lent. */
export function withLent(concurrency: number): number {
  return withFloor(concurrency) + concurrency;
}
