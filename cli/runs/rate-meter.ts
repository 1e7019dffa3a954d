/** Growth rate of a count over the last few seconds. */
export interface RateMeter {
  add(atMs: number, value: number): void;
  /** Returns the rate per second; 0 if unknown. */
  perSecond(): number;
}

export function createRateMeter(windowMs = 5000): RateMeter {
  let samples: { atMs: number; value: number }[] = [];
  return {
    add: (atMs, value) => {
      samples.push({ atMs, value });
      // One sample older than the window stays, so that the window is always covered.
      const firstInside = samples.findIndex((sample) => sample.atMs > atMs - windowMs);
      samples = samples.slice(Math.max(0, firstInside - 1));
    },
    perSecond: () => {
      const [first] = samples;
      const last = samples.at(-1);
      if (!first || !last || last.atMs === first.atMs) return 0;
      return Math.max(0, ((last.value - first.value) * 1000) / (last.atMs - first.atMs));
    },
  };
}
