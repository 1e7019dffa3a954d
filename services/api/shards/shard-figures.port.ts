import type { Shard } from '../../../shared/domain/endpoint/shard.ts';

/** What a worker said not long ago of a shard that it serves. */
export interface WorkerReport extends Shard {
  worker: string;
  inFlight: number;
  callLimit: number;
  waiting: number;
  breakerOpen: boolean;
  batchesPerSecond: number;
}

/** What running runs have to do in a shard. All counts in batches. */
export interface ShardWork extends Shard {
  /** On the topic, or a worker has it. */
  ready: number;
  /** Put back, until it is due. */
  waiting: number;
  /** Ready here, in steps before, or still to be fed as far as the audience is estimated. */
  ahead: number;
}

export interface ShardFigures {
  /** Of workers that were heard of within the last minute. */
  reports(): Promise<WorkerReport[]>;
  /** Shards in which nothing is to be done are left out. */
  work(): Promise<ShardWork[]>;
}
