/** How long ago something has to be for the measured rate to have forgotten two thirds of it. */
const rateMemoryMs = 2000;
/** A shorter time than this says little: workers record what they have done in flushes. */
const leastMeasuredMs = 500;

/** Batches per second, weighted exponentially: what was handled long ago counts little. */
export interface MeasuredRate {
  readonly weighted: number;
  /** How much of the memory was filled yet, in [0, 1]: what was not measured counts for nothing. */
  readonly weight: number;
}

export const unmeasured: MeasuredRate = { weighted: 0, weight: 0 };

/** The rate after `handled` more batches in `elapsedMs`. */
export function measureRate({ weighted, weight }: MeasuredRate, handled: number, elapsedMs: number): MeasuredRate {
  if (elapsedMs <= 0) return { weighted, weight };
  const share = weightOf(elapsedMs);
  return {
    weighted: weighted + ((handled * 1000) / elapsedMs - weighted) * share,
    weight: weight + (1 - weight) * share,
  };
}

/** Of the time that was measured alone: a shard that began a moment ago is not slow for it. */
export function ratePerSecond({ weighted, weight }: MeasuredRate): number {
  return weighted / Math.max(weight, leastWeight);
}

const leastWeight = weightOf(leastMeasuredMs);

function weightOf(elapsedMs: number): number {
  return 1 - Math.exp(-elapsedMs / rateMemoryMs);
}
