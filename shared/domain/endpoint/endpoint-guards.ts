import { backoffMs } from '../retry.ts';

/** Between two probes of an endpoint that is down: one call over all workers. */
const probeBackoff = { firstDelayMs: 1000, maxDelayMs: 60_000 };

/**
 * An endpoint that is back is called by more and more workers for so long; a failure within this time opens its breaker
 * again.
 */
export const slowStartMs = 10_000;
const firstCallsAfter = 2;

/**
 * Until the next probe.
 * @param openings how often in a row the breaker opened, failed probes included, from 1
 * @param retryAfterMs what the endpoint asked for; null where it did not
 * @param random in [0, 1)
 */
export function probeDelayMs(openings: number, retryAfterMs: number | null, random: number): number {
  const asked = Math.min(retryAfterMs ?? 0, maxRetryAfterMs);
  return Math.max(asked, backoffMs(probeBackoff, openings, random));
}

/** No report is believed for longer than this. */
export const maxRetryAfterMs = 300_000;

/** Calls in flight, over all workers, that an endpoint gets so long after it is back: they double with each second. */
export function slowStartCalls(sinceMs: number): number {
  return sinceMs >= slowStartMs ? Number.POSITIVE_INFINITY : firstCallsAfter * 2 ** (Math.max(0, sinceMs) / 1000);
}

/** A worker's part of calls that all of them share. @param rank its place among them, from 0 */
export function partOf(calls: number, workers: number, rank: number): number {
  if (calls === Number.POSITIVE_INFINITY) return calls;
  return Math.floor((Math.floor(calls) + workers - 1 - rank) / workers);
}
