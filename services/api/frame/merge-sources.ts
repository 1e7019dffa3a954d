interface Arrived<Value> {
  source: AsyncGenerator<Value, void>;
  take: () => IteratorResult<Value, void>;
}

/**
 * Yields the values of several sources in order of arrival, until all sources have ended. The source `beside` does not
 * keep the result open. The next value of a source is requested when its previous value is taken. `Promise.race` is not
 * used: each race would attach a listener to the promise of a silent source, and keep the values of that round in
 * memory until the promise settles.
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
