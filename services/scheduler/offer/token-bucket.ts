/**
 * Size of a client's burst, in seconds of its rate limit: so many jobs may be called at once after a time without jobs,
 * and at least one job.
 */
const burstSeconds = 0.25;

export interface TokenBucket {
  /** Returns the number of whole tokens that are available now. */
  level(perSecond: number, nowMs: number): number;
  /** Returns the milliseconds from the last call of `level` until a whole token is available; 0 if there is one. */
  untilNextMs(perSecond: number): number;
  take(): void;
}

export function createTokenBucket(): TokenBucket {
  let tokens = Infinity;
  let atMs = 0;
  return {
    level: (perSecond, nowMs) => {
      const most = Math.max(1, perSecond * burstSeconds);
      const grown = tokens === Infinity ? most : tokens + (Math.max(0, nowMs - atMs) * perSecond) / 1000;
      tokens = Math.min(most, grown);
      atMs = nowMs;
      return Math.floor(tokens + 1e-9);
    },
    untilNextMs: (perSecond) => Math.max(0, ((1 - tokens) / perSecond) * 1000),
    take: () => {
      tokens -= 1;
    },
  };
}
