/** A point for so many seconds; the last one is the current. */
export const lagStepSeconds = 30;

/** A quarter of an hour. */
const points = 30;

/**
 * How far behind each shard was, as often as it was looked at. Of this process: another one has seen it at other
 * moments.
 */
export interface LagHistory {
  /** @param seconds null where it is unknown */
  add(shard: string, nowMs: number, seconds: number | null): void;
  /**
   * Oldest first, the current point last; null where it was not looked at. Empty for a shard that was never looked at.
   */
  of(shard: string, nowMs: number): (number | null)[];
}

export function createLagHistory(): LagHistory {
  /** By shard: the number of a step since 1970, and what was seen in it last. */
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
