import { setTimeout as wait } from 'node:timers/promises';

const pollMs = 50;

/**
 * Resolves with the first answer of the probe that is neither undefined nor false; a probe that throws is asked again.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  let last: unknown;
  for (;;) {
    try {
      const seen = await probe();
      if (seen !== undefined && seen !== false) return seen;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      const because = last instanceof Error ? ` (${last.message})` : '';
      throw new Error(`not within ${deadlineMs} ms: ${what}${because}`, { cause: last });
    }
    await wait(pollMs);
  }
}

/**
 * Lets real time pass: the duration of a fault or of a measurement. Not to be used to wait for something that can be
 * observed.
 */
export async function lasting(ms: number): Promise<void> {
  await wait(ms);
}
