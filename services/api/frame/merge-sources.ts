interface Arrived<Told> {
  source: AsyncGenerator<Told, void>;
  /** What it told, or that it failed. */
  take: () => IteratorResult<Told, void>;
}

/**
 * Whatever comes first, until all of the sources have ended; what comes `beside` them keeps nothing open. Each is asked
 * for more when what it told is taken. Promises are not raced: every race leaves something at the promise of a source
 * that is silent, and with it what the others told in that round, for as long as it stays silent.
 */
export async function* mergeSources<Told>(
  sources: readonly AsyncGenerator<Told, void>[],
  beside: AsyncGenerator<Told, void>,
): AsyncGenerator<Told, void> {
  const arrived: Arrived<Told>[] = [];
  const open = new Set(sources);
  let wake: (() => void) | undefined;
  const arrive = (source: Arrived<Told>['source'], take: Arrived<Told>['take']) => {
    arrived.push({ source, take });
    wake?.();
  };
  const ask = (source: Arrived<Told>['source']) => {
    source.next().then(
      (told) => arrive(source, () => told),
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
    const told = first.take();
    if (told.done === true) {
      open.delete(first.source);
    } else {
      ask(first.source);
      yield told.value;
    }
  }
}
