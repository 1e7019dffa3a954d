/** Limits concurrency: at most `width` calls run at once; further calls wait in the order of their arrival. */
export function createGate(width: number): <T>(pass: () => Promise<T>) => Promise<T> {
  let free = width;
  const waiting: (() => void)[] = [];

  return async (pass) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free--;
    try {
      return await pass();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
