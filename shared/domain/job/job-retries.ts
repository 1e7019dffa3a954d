import { backoffMs } from '../retry.ts';

/**
 * Retry strategy of a job. `attempts` counts calls, including the first.
 * `exponential`: full jitter; each ceiling is twice the previous one.
 */
export type JobRetries =
  | { strategy: 'none' }
  | { strategy: 'fixed'; attempts: number; delayMs: number }
  | { strategy: 'exponential'; attempts: number; firstDelayMs: number; maxDelayMs: number };

/** Longest `Retry-After` of a receiver that is respected, in milliseconds. */
export const maxRequestedDelayMs = 3_600_000;

/**
 * Returns the delay until the next call in milliseconds; null if there is none.
 * @param attempt calls made so far, from 1
 * @param requestedDelayMs delay that the receiver requested (`Retry-After`); null if it requested none
 * @param random in [0, 1)
 */
export function retryDelayMs(
  retries: JobRetries,
  attempt: number,
  requestedDelayMs: number | null,
  random: number,
): number | null {
  if (retries.strategy === 'none' || attempt >= retries.attempts) return null;
  const ownMs = retries.strategy === 'fixed' ? retries.delayMs : backoffMs(retries, attempt, random);
  return Math.max(ownMs, Math.min(requestedDelayMs ?? 0, maxRequestedDelayMs));
}
