import type { Shard } from '../domain/endpoint/shard.ts';

/** What a worker has under way in a shard. */
export interface ShardReport extends Shard {
  inFlight: number;
  /** Calls that may be in flight at once. */
  callLimit: number;
  /** Claimed steps that wait for a call. */
  waiting: number;
  breakerOpen: boolean;
  /** Recorded since the report before. */
  batchesPerSecond: number;
  /** Why it is not served, though the worker's settings name it; null: it is. */
  refusal: string | null;
}

/** A shard that a worker should serve and cannot. */
export interface ShardRefusal extends Shard {
  /** The same words for as long as it is the same cause. */
  cause: string;
}
