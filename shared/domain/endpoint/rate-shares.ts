export type RateUnit = 'calls' | 'users';

export interface OtherShare {
  /** Units per second that the worker could use. */
  demand: number;
  /** Units per second that the worker may be using now. */
  held: number;
}

/**
 * Returns a worker's share of a rate, per second. Shares are max-min fair by demand; the remainder is divided evenly,
 * so that every worker can grow. The share never exceeds the part that other workers are not using. When a share
 * shrinks, the difference is free once its worker has confirmed the new share.
 */
export function rateShareOf(ratePerSecond: number, demand: number, others: readonly OtherShare[]): number {
  const demands = [demand, ...others.map((other) => other.demand)].toSorted((a, b) => a - b);
  let before = 0;
  let level = 0;
  for (const [index, wanted] of demands.entries()) {
    level = Math.max(level, (ratePerSecond - before) / (demands.length - index));
    before += wanted;
  }
  const used = demands.reduce((sum, wanted) => sum + Math.min(wanted, level), 0);
  const fair = Math.min(demand, level) + Math.max(0, ratePerSecond - used) / demands.length;
  const free = ratePerSecond - others.reduce((sum, { held }) => sum + held, 0);
  return Math.max(0, Math.min(fair, free));
}
