/** Share of one process in a rate that several processes use: the rate minus the recent use by the others. */
export interface RateShare {
  /** Tokens available as of `filledAtMs`. */
  tokens: number;
  filledAtMs: number;
  /** Use by all other processes, per second. */
  othersPerSecond: number;
}

/** Minimum share of one process in a rate, from 0 to 1, even if the other processes use all of it. */
const leastShare = 0.05;

/** Adds tokens for the time since the last call, at most one second's. @returns this process's share per second */
export function refill(rateShare: RateShare, perSecond: number, nowMs: number): number {
  const share = Math.max(perSecond * leastShare, perSecond - rateShare.othersPerSecond);
  rateShare.tokens = Math.min(Math.max(share, 1), rateShare.tokens + ((nowMs - rateShare.filledAtMs) / 1000) * share);
  rateShare.filledAtMs = nowMs;
  return share;
}

/** Returns whole seconds until a token is available, at least one. */
export function secondsUntilOne({ tokens }: RateShare, share: number): number {
  return Math.max(1, Math.ceil((1 - tokens) / share));
}
