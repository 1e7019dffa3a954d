/** What a client that was quiet may have at once: this part of a second's worth, one at least. */
const burstSeconds = 0.25;

/** A rate as tokens that fill up. Rates may change from call to call. */
export interface TokenBucket {
  /** Whole tokens that are there now. */
  level(perSecond: number, nowMs: number): number;
  /** Milliseconds from the time that `level` was asked about until there is a whole token; 0 if there is one. */
  untilNextMs(perSecond: number): number;
  /** Takes one of those that `level` said are there. */
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
