/** Seconds between two points; the last point is the current one. */
export const lagStepSeconds = 30;

/** Number of points. They cover a quarter of an hour. */
const points = 30;

/** History of each shard's lag as observed by this process; other processes observe other moments. */
export interface LagHistory {
  /** @param seconds null if unknown */
  add(shard: string, nowMs: number, seconds: number | null): void;
  /** Returns points, oldest first; null without an observation. Empty for a shard that was never observed. */
  of(shard: string, nowMs: number): (number | null)[];
}

export function createLagHistory(): LagHistory {
  /** Last observation by shard, and by number of the 30-second interval since 1970. */
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
