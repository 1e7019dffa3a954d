/** Share of a pool's concurrency added for feeds with few calls: they need not wait until a hung call ends. */
const floorPart = 1 / 16;

/** Returns the number of calls that count at once, for a pool whose `concurrency` is that of busy feeds. */
export function withFloor(concurrency: number): number {
  return concurrency + Math.floor(concurrency * floorPart);
}

/** Returns the greatest number of calls at once, including calls that hang and whose slots are lent. */
export function withLent(concurrency: number): number {
  return withFloor(concurrency) + concurrency;
}
