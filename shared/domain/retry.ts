export interface BackoffPolicy {
  firstDelayMs: number;
  maxDelayMs: number;
}

/**
 * Returns the delay of an exponential backoff with full jitter (AWS Architecture Blog, "Exponential Backoff And
 * Jitter"): a uniform share of `firstDelayMs × 2^(attempt − 1)`, capped. The delay is never below a tenth of the cap
 * for that attempt, so that a retry is never immediate.
 *
 * @param attempt number of attempts made, from 1
 * @param random in [0, 1)
 */
export function backoffMs(policy: BackoffPolicy, attempt: number, random: number): number {
  const ceiling = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceiling * (0.1 + 0.9 * random));
}

/**
 * Returns at least the given time, and up to a tenth more, so that processes that wait for the same moment do not all
 * act at once.
 * @param random in [0, 1)
 */
export function withJitter(ms: number, random: number): number {
  return Math.round(ms * (1 + 0.1 * random));
}
