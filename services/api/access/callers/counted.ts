/** Counts by what they are of, until they are taken. */
export interface Counted<Count> {
  readonly size: number;
  /** To what is counted of the same already. */
  add(of: string, count: Count): void;
  /** All of it; from now on it is counted anew. */
  take(): ReadonlyMap<string, Count>;
}

/**
 * @param most of so many it is counted, and of no more, whatever comes
 * @param sum of two counts of the same
 */
export function createCounted<Count>(most: number, sum: (before: Count, more: Count) => Count): Counted<Count> {
  let counts = new Map<string, Count>();
  return {
    get size() {
      return counts.size;
    },
    add: (of, count) => {
      const before = counts.get(of);
      if (before === undefined && counts.size >= most) return;
      counts.set(of, before === undefined ? count : sum(before, count));
    },
    take: () => {
      const taken = counts;
      counts = new Map();
      return taken;
    },
  };
}
