/** Counts by name, which are collected until a caller takes them. */
export interface CountsByName<Count> {
  readonly size: number;
  add(name: string, count: Count): void;
  /** Returns all counts and starts again from zero. */
  take(): ReadonlyMap<string, Count>;
}

/**
 * Creates a collection of counts.
 * @param most maximum number of names; counts of further names are dropped
 * @param sum returns the sum of two counts
 */
export function createCountsByName<Count>(
  most: number,
  sum: (before: Count, more: Count) => Count,
): CountsByName<Count> {
  let counts = new Map<string, Count>();
  return {
    get size() {
      return counts.size;
    },
    add: (name, count) => {
      const before = counts.get(name);
      if (before === undefined && counts.size >= most) return;
      counts.set(name, before === undefined ? count : sum(before, count));
    },
    take: () => {
      const taken = counts;
      counts = new Map();
      return taken;
    },
  };
}
