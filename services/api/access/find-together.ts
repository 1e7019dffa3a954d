/** Of one statement: it takes some milliseconds. */
const mostAtOnce = 500;

interface Asked<Found> {
  digest: string;
  resolve: (found: Found | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * One question is open at a time; what is asked meanwhile is asked together after it. So a flood of made-up secrets
 * costs the database no more than one statement after the other, and a good one waits as long as that takes: there is
 * no number of bad ones after which good ones are refused.
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
