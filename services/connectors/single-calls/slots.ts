/** Limit on concurrent requests of an action in this process, over all batches. */
export interface Slots {
  /** Resolves when a slot is free. The caller must release it. */
  acquire(): Promise<void>;
  release(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    acquire: () => {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve));
      free--;
      return Promise.resolve();
    },
    release: () => {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}
