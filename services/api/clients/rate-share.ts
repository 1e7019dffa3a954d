/** A process's part of a rate that several take from: of what the others used lately, it has nothing. */
export interface RateShare {
  /** That may be taken now, as of `filledAtMs`. */
  tokens: number;
  filledAtMs: number;
  /** Per second, of all other processes. */
  othersPerSecond: number;
}

/** However much the others take: so much of the rate is this process's own. */
const leastShare = 0.05;

/** One second's worth may come at once. @returns per second, how much is this process's */
export function refill(of: RateShare, perSecond: number, nowMs: number): number {
  const share = Math.max(perSecond * leastShare, perSecond - of.othersPerSecond);
  of.tokens = Math.min(Math.max(share, 1), of.tokens + ((nowMs - of.filledAtMs) / 1000) * share);
  of.filledAtMs = nowMs;
  return share;
}

/** Until there is one token, whole seconds, at least one. */
export function secondsUntilOne({ tokens }: RateShare, share: number): number {
  return Math.max(1, Math.ceil((1 - tokens) / share));
}
