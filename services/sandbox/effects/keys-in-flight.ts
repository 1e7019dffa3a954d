export interface KeysInFlight {
  /**
   * Counts a call as in flight.
   * @returns the number of other calls with the same key in flight; more than 0 means that several workers use the key
   * at once
   */
  enter(key: string): number;
  leave(key: string): void;
}

export function createKeysInFlight(): KeysInFlight {
  const calls = new Map<string, number>();
  return {
    enter: (key) => {
      const others = calls.get(key) ?? 0;
      calls.set(key, others + 1);
      return others;
    },
    leave: (key) => {
      const left = (calls.get(key) ?? 0) - 1;
      if (left > 0) calls.set(key, left);
      else calls.delete(key);
    },
  };
}
