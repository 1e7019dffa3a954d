/**
 * Share of one process in a rate limit that several processes use: the limit minus the recent use by the other
 * processes.
 */
export interface RateShare {
  /** Number of tokens at the time `filledAtMs`. */
  tokens: number;
  filledAtMs: number;
  /** Use of the rate by all other processes, per second. */
  othersPerSecond: number;
}

/**
 * Minimum share of one process, as a fraction of the rate. It applies even if the other processes use the whole rate.
 */
const leastShare = 0.05;

/**
 * Adds the tokens of the time since the last call, at most those of one second.
 * @returns share of this process, per second
 */
export function refill(rateShare: RateShare, perSecond: number, nowMs: number): number {
  const share = Math.max(perSecond * leastShare, perSecond - rateShare.othersPerSecond);
  rateShare.tokens = Math.min(Math.max(share, 1), rateShare.tokens + ((nowMs - rateShare.filledAtMs) / 1000) * share);
  rateShare.filledAtMs = nowMs;
  return share;
}

/** Returns the whole seconds until a token is available, at least one second. */
export function secondsUntilOne({ tokens }: RateShare, share: number): number {
  return Math.max(1, Math.ceil((1 - tokens) / share));
}
