import { backoffMs } from '../retry.ts';

/** Backoff between two probes of an endpoint that is down; a probe is one call over all workers. */
const probeBackoff = { firstDelayMs: 1000, maxDelayMs: 60_000 };

/** Time in which calls to a recovered endpoint increase. A failure within this time opens its breaker again. */
export const slowStartMs = 10_000;
const firstCallsAfter = 2;

/**
 * Returns the milliseconds until the next probe.
 * @param openings number of consecutive openings of the breaker, failed probes included, from 1
 * @param retryAfterMs delay that the endpoint requested; null if it requested none
 * @param random in [0, 1)
 */
export function probeDelayMs(openings: number, retryAfterMs: number | null, random: number): number {
  const requestedMs = Math.min(retryAfterMs ?? 0, maxRetryAfterMs);
  return Math.max(requestedMs, backoffMs(probeBackoff, openings, random));
}

/** Longest `Retry-After` that is respected, in milliseconds. */
export const maxRetryAfterMs = 300_000;

/** Returns the calls in flight that all workers may make `sinceMs` after a recovery; they double every second. */
export function slowStartCalls(sinceMs: number): number {
  return sinceMs >= slowStartMs ? Number.POSITIVE_INFINITY : firstCallsAfter * 2 ** (Math.max(0, sinceMs) / 1000);
}

/**
 * Returns a worker's share of calls that all workers share.
 * @param rank position of the worker among them, from 0
 */
export function partOf(calls: number, workers: number, rank: number): number {
  if (calls === Number.POSITIVE_INFINITY) return calls;
  return Math.floor((Math.floor(calls) + workers - 1 - rank) / workers);
}
