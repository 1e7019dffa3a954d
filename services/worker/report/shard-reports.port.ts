import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { ShardReport } from '../../../shared/ports/shard-reports.ts';

/** Reports of workers about their shards, shown to people. */
export interface ShardReports {
  /** Replaces this worker's earlier reports of these shards. */
  report(worker: string, reports: readonly ShardReport[]): Promise<void>;
  /** Withdraws the reports of a worker that no longer serves these shards. @param shards all of them by default */
  withdraw(worker: string, shards?: readonly Shard[]): Promise<void>;
}
