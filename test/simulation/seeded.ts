/** Reproducible random numbers: the same seed gives the same numbers on every machine (mulberry32). */
export interface Chance {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns true with the probability `share`. */
  happens(share: number): boolean;
  /** Returns a whole number from 0 to `below - 1`. */
  below(below: number): number;
  pick<Entry>(entries: readonly Entry[]): Entry;
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    next,
    happens: (share) => next() < share,
    below: (below) => Math.floor(next() * below),
    pick: (entries) => {
      const entry = entries[Math.floor(next() * entries.length)];
      if (entry === undefined) throw new Error('cannot pick one of nothing');
      return entry;
    },
  };
}
