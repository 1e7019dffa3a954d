/** A part that a service needs. Resolves when it is well; rejects with what is wrong. */
export type PartCheck = () => Promise<void> | void;

export type Parts = Readonly<Record<string, PartCheck>>;

export interface Readiness {
  ready: boolean;
  /** `ok`, or what is wrong, by part. */
  parts: Record<string, string>;
}

/** What does not answer within this is not well. */
const patienceMs = 2_000;

export async function readinessOf(parts: Parts): Promise<Readiness> {
  const answers = await Promise.all(
    Object.entries(parts).map(async ([name, check]): Promise<[string, string]> => [name, await tell(check)]),
  );
  return { ready: answers.every(([, state]) => state === 'ok'), parts: Object.fromEntries(answers) };
}

async function tell(check: PartCheck): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`does not answer within ${patienceMs / 1000} s`)), patienceMs);
  });
  try {
    await Promise.race([check(), tooLong]);
    return 'ok';
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error);
  } finally {
    clearTimeout(timer);
  }
}
