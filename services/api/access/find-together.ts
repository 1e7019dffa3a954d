/** Digests of one statement, which takes some milliseconds. */
const mostAtOnce = 500;

interface Asked<Found> {
  digest: string;
  resolve: (found: Found | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Returns a look-up that batches concurrent calls: one statement runs at a time, and calls that arrive meanwhile share
 * the next one. A flood of made-up secrets therefore costs one statement after another. A good secret waits for at most
 * those statements, and is never refused because of the number of bad ones.
 */
export function findTogether<Found>(findAll: (digests: readonly string[]) => Promise<ReadonlyMap<string, Found>>) {
  const waiting: Asked<Found>[] = [];
  let isAsking = false;

  async function askAll(): Promise<void> {
    isAsking = true;
    while (waiting.length > 0) {
      const asked = waiting.splice(0, mostAtOnce);
      try {
        const found = await findAll([...new Set(asked.map(({ digest }) => digest))]);
        for (const { digest, resolve } of asked) resolve(found.get(digest));
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    isAsking = false;
  }

  return (digest: string): Promise<Found | undefined> =>
    new Promise((resolve, reject) => {
      waiting.push({ digest, resolve, reject });
      if (!isAsking) void askAll();
    });
}
