import type { Shard } from '../../../shared/domain/endpoint/shard.ts';

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
}

/** Where workers say what they do, for people. */
export interface ShardReports {
  /** In place of what this worker said of these shards before. */
  report(worker: string, reports: readonly ShardReport[]): Promise<void>;
  /** It does nothing any more, here or at all. @param shards all of them unless given */
  withdraw(worker: string, shards?: readonly Shard[]): Promise<void>;
}
