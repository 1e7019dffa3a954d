/** Lets at most so many pass at once; the others wait in the order in which they came. */
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
