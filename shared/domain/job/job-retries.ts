import { backoffMs } from '../retry.ts';

/**
 * How often and when a job is tried again. `attempts` counts calls, the first included.
 * `exponential`: full jitter; each ceiling is twice the one before.
 */
export type JobRetries =
  | { strategy: 'none' }
  | { strategy: 'fixed'; attempts: number; delayMs: number }
  | { strategy: 'exponential'; attempts: number; firstDelayMs: number; maxDelayMs: number };

/** No receiver is taken at its word for longer than this. */
export const maxAskedDelayMs = 3_600_000;

/**
 * Until the next call; null when there is none to come.
 * @param attempt calls that were made, from 1
 * @param askedMs what the receiver asked for (`Retry-After`); null where it did not
 * @param random in [0, 1)
 */
export function retryDelayMs(
  retries: JobRetries,
  attempt: number,
  askedMs: number | null,
  random: number,
): number | null {
  if (retries.strategy === 'none' || attempt >= retries.attempts) return null;
  const ownMs = retries.strategy === 'fixed' ? retries.delayMs : backoffMs(retries, attempt, random);
  return Math.max(ownMs, Math.min(askedMs ?? 0, maxAskedDelayMs));
}
