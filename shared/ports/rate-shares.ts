import type { RateUnit } from '../domain/endpoint/rate-shares.ts';

export interface RateAsk {
  actionType: string;
  unit: RateUnit;
  ratePerSecond: number;
  /** Per second: what this worker could use. */
  demand: number;
  /** Per second: what it may be using until it has the answer. */
  using: number;
}

/** Rates of action types, shared by the workers that call them. */
export interface RateShares {
  /**
   * This worker's share of each, per second, in the order of the asks, for `leaseMs` from now. What all workers hold
   * together is never more than the rate: a worker that is not heard of keeps its part until its lease ends.
   */
  exchange(asks: readonly RateAsk[], leaseMs: number): Promise<number[]>;
}
