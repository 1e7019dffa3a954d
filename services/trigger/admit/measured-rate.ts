/**
 * Time constant of the exponential average in milliseconds. After this time, a measurement has lost about two thirds of
 * its weight.
 */
const rateMemoryMs = 2000;
/**
 * Minimum time in milliseconds over which a rate is measured. Shorter measurements would be inexact, because workers
 * record results in flushes.
 */
const leastMeasuredMs = 500;

/** Exponentially weighted average of batches per second. */
export interface MeasuredRate {
  readonly weighted: number;
  /**
   * Weight of all measurements so far, in [0, 1]. It grows with the measured time. Time without measurements does not
   * count.
   */
  readonly weight: number;
}

export const unmeasured: MeasuredRate = { weighted: 0, weight: 0 };

export function measureRate({ weighted, weight }: MeasuredRate, handled: number, elapsedMs: number): MeasuredRate {
  if (elapsedMs <= 0) return { weighted, weight };
  const share = weightOf(elapsedMs);
  return {
    weighted: weighted + ((handled * 1000) / elapsedMs - weighted) * share,
    weight: weight + (1 - weight) * share,
  };
}

/** Returns the average over the measured time, so that a shard that has just begun does not appear slow. */
export function ratePerSecond({ weighted, weight }: MeasuredRate): number {
  return weighted / Math.max(weight, leastWeight);
}

const leastWeight = weightOf(leastMeasuredMs);

function weightOf(elapsedMs: number): number {
  return 1 - Math.exp(-elapsedMs / rateMemoryMs);
}
