import type { RateUnit } from '../domain/endpoint/rate-shares.ts';

export interface RateAsk {
  actionType: string;
  unit: RateUnit;
  ratePerSecond: number;
  /** Calls or users per second that this worker could use. */
  demand: number;
  /** Rate per second that this worker may be using until it has the answer. */
  using: number;
}

/** Rate limits of action types, shared by the workers that call them. */
export interface RateShares {
  /**
   * Returns this worker's share of each rate, per second, in the order of the requests, for `leaseMs` from now. The
   * shares of all workers together never exceed the rate: a worker that stops reporting keeps its share until its lease
   * ends.
   */
  exchange(asks: readonly RateAsk[], leaseMs: number): Promise<number[]>;
}
