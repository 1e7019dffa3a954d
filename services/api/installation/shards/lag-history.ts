/** Seconds between two points of the history. The last point is the current value. */
export const lagStepSeconds = 30;

/** Number of points: 15 minutes. */
const points = 30;

/** History of each shard's lag as this process has observed it. Other processes observe it at other moments. */
export interface LagHistory {
  /**
   * Adds an observation.
   * @param seconds lag in seconds; null if unknown
   */
  add(shard: string, nowMs: number, seconds: number | null): void;
  /**
   * Returns the points, oldest first. A point without an observation is null. Empty for a shard that was never
   * observed.
   */
  of(shard: string, nowMs: number): (number | null)[];
}

export function createLagHistory(): LagHistory {
  /** Last observation, by shard and by the number of the 30-second interval since 1970. */
  const seen = new Map<string, Map<number, number | null>>();
  const stepOf = (nowMs: number) => Math.floor(nowMs / 1000 / lagStepSeconds);

  return {
    add: (shard, nowMs, seconds) => {
      const steps = seen.get(shard) ?? new Map<number, number | null>();
      seen.set(shard, steps.set(stepOf(nowMs), seconds));
      const first = stepOf(nowMs) - points + 1;
      for (const step of steps.keys()) if (step < first) steps.delete(step);
    },
    of: (shard, nowMs) => {
      const steps = seen.get(shard);
      if (!steps) return [];
      const first = stepOf(nowMs) - points + 1;
      return Array.from({ length: points }, (_, index) => steps.get(first + index) ?? null);
    },
  };
}
