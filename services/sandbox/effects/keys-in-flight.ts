export interface KeysInFlight {
  /** @returns number of other calls of the same key in flight; if not 0, several callers serve the key at once */
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
