import type { Shard } from '../domain/endpoint/shard.ts';

export interface ShardReport extends Shard {
  inFlight: number;
  callLimit: number;
  waiting: number;
  breakerOpen: boolean;
  /** Batches recorded per second since the previous report. */
  batchesPerSecond: number;
  /** Reason why the worker does not serve the shard, although its settings name the shard; null if it does. */
  refusal: string | null;
}

/** A shard that a worker should serve and cannot. */
export interface ShardRefusal extends Shard {
  /** Text that stays the same for as long as the cause does. */
  cause: string;
}
