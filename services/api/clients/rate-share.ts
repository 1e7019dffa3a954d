/** Share of one process in a rate that several processes use: the rate minus the recent use by the others. */
export interface RateShare {
  /** Tokens available as of `filledAtMs`. */
  tokens: number;
  filledAtMs: number;
  /** Use by all other processes, per second. */
  othersPerSecond: number;
}

/** Part of the rate that each process has, however much the others use. */
const leastShare = 0.05;

/** Adds tokens for the time since the last call, at most one second's. @returns this process's share per second */
export function refill(of: RateShare, perSecond: number, nowMs: number): number {
  const share = Math.max(perSecond * leastShare, perSecond - of.othersPerSecond);
  of.tokens = Math.min(Math.max(share, 1), of.tokens + ((nowMs - of.filledAtMs) / 1000) * share);
  of.filledAtMs = nowMs;
  return share;
}

/** Returns whole seconds until a token is available, at least one. */
export function secondsUntilOne({ tokens }: RateShare, share: number): number {
  return Math.max(1, Math.ceil((1 - tokens) / share));
}
