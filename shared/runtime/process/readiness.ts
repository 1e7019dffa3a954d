import { within } from '../within.ts';

/** Check of a part that a service needs. Rejects with the problem. */
export type PartCheck = () => Promise<void> | void;

export type Parts = Readonly<Record<string, PartCheck>>;

export interface Readiness {
  ready: boolean;
  /** State of each part: `ok`, or the problem. */
  parts: Record<string, string>;
}

const patienceMs = 2_000;

export async function readinessOf(parts: Parts): Promise<Readiness> {
  const answers = await Promise.all(
    Object.entries(parts).map(async ([name, check]): Promise<[string, string]> => [name, await describePart(check)]),
  );
  return { ready: answers.every(([, state]) => state === 'ok'), parts: Object.fromEntries(answers) };
}

async function describePart(check: PartCheck): Promise<string> {
  try {
    await checkPart(check);
    return 'ok';
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error);
  }
}

const underWay = new WeakMap<PartCheck, Promise<void>>();

/**
 * Checks one part. Rejects with the problem, or if the check takes too long. A check that is still running is awaited
 * and not repeated. Otherwise a frozen server would get one more request at each check.
 */
export async function checkPart(check: PartCheck): Promise<void> {
  let checking = underWay.get(check);
  if (!checking) {
    checking = Promise.resolve(check()).finally(() => underWay.delete(check));
    underWay.set(check, checking);
  }
  await within(patienceMs, checking);
}
