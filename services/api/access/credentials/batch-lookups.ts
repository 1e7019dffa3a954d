/** Maximum number of digests in one statement, which then takes some milliseconds. */
const mostAtOnce = 500;

interface PendingLookup<Found> {
  digest: string;
  resolve: (found: Found | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Returns a look-up that batches concurrent calls: only one statement runs at a time, and the calls that arrive
 * meanwhile share the next one. Even thousands of made-up secrets therefore cost only one statement after the other. A
 * valid secret waits for at most the statement that runs and those for secrets that came earlier; it is never refused
 * because there are many invalid ones.
 */
export function batchLookups<Found>(findAll: (digests: readonly string[]) => Promise<ReadonlyMap<string, Found>>) {
  const waiting: PendingLookup<Found>[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostAtOnce);
      try {
        const found = await findAll([...new Set(batch.map(({ digest }) => digest))]);
        for (const { digest, resolve } of batch) resolve(found.get(digest));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  }

  return (digest: string): Promise<Found | undefined> =>
    new Promise((resolve, reject) => {
      waiting.push({ digest, resolve, reject });
      if (!isRunning) void runAll();
    });
}
