interface Arrived<Value> {
  source: AsyncGenerator<Value, void>;
  /** What it brought, or that it failed. */
  take: () => IteratorResult<Value, void>;
}

/**
 * Whatever comes first, until all of the sources have ended; what comes `beside` them keeps nothing open. Each is asked
 * for more when what it brought is taken. Promises are not raced: every race leaves something at the promise of a
 * source that is silent, and with it what the others brought in that round, for as long as it stays silent.
 */
export async function* mergeSources<Value>(
  sources: readonly AsyncGenerator<Value, void>[],
  beside: AsyncGenerator<Value, void>,
): AsyncGenerator<Value, void> {
  const arrived: Arrived<Value>[] = [];
  const open = new Set(sources);
  let wake: (() => void) | undefined;
  const arrive = (source: Arrived<Value>['source'], take: Arrived<Value>['take']) => {
    arrived.push({ source, take });
    wake?.();
  };
  const ask = (source: Arrived<Value>['source']) => {
    source.next().then(
      (result) => arrive(source, () => result),
      (error: unknown) =>
        arrive(source, () => {
          throw error;
        }),
    );
  };
  for (const source of [...sources, beside]) ask(source);
  while (open.size > 0) {
    const first = arrived.shift();
    if (!first) {
      await new Promise<void>((resolve) => (wake = resolve));
      continue;
    }
    const result = first.take();
    if (result.done === true) {
      open.delete(first.source);
    } else {
      ask(first.source);
      yield result.value;
    }
  }
}
