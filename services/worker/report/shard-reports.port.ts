import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { ShardReport } from '../../../shared/ports/shard-reports.ts';

/** Reports of workers about their shards, which are only displayed. */
export interface ShardReports {
  /** Replaces this worker's earlier reports of these shards. */
  report(worker: string, reports: readonly ShardReport[]): Promise<void>;
  /**
   * Withdraws the reports of a worker for shards that it no longer serves.
   * @param shards default: all its shards
   */
  withdraw(worker: string, shards?: readonly Shard[]): Promise<void>;
}
