/** What a rate that all workers share counts. */
export type RateUnit = 'calls' | 'users';

export interface OtherShare {
  /** Per second: what it could use. */
  demand: number;
  /** Per second: what it may be using now. */
  held: number;
}

/**
 * A worker's share of a rate, per second: max-min fair by what each could use, what is left over divided evenly, so
 * that everybody has room to grow. Never more than what the others may be using leaves: where a share shrinks, its part
 * is free once its worker has said that it knows.
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
