/** What a client that was quiet may have at once: this part of a second's worth, one at least. */
const burstSeconds = 0.25;

/** A rate as tokens that fill up. Rates may change from call to call. */
export interface TokenBucket {
  /** Takes up to `wanted` whole tokens and says how many there were. @param perSecond undefined: no limit */
  take(wanted: number, perSecond: number | undefined, nowMs: number): number;
  /** Until there is one. */
  waitMs(perSecond: number | undefined, nowMs: number): number;
}

export function createTokenBucket(): TokenBucket {
  let tokens = Infinity;
  let atMs = 0;

  function fill(perSecond: number, nowMs: number): void {
    const most = Math.max(1, perSecond * burstSeconds);
    const grown = tokens === Infinity ? most : tokens + (Math.max(0, nowMs - atMs) * perSecond) / 1000;
    tokens = Math.min(most, grown);
    atMs = nowMs;
  }

  return {
    take: (wanted, perSecond, nowMs) => {
      if (perSecond === undefined) return wanted;
      fill(perSecond, nowMs);
      const taken = Math.min(wanted, Math.floor(tokens + 1e-9));
      tokens -= taken;
      return taken;
    },
    waitMs: (perSecond, nowMs) => {
      if (perSecond === undefined) return 0;
      fill(perSecond, nowMs);
      return tokens >= 1 ? 0 : ((1 - tokens) / perSecond) * 1000;
    },
  };
}
