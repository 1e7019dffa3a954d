import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { ShardReport } from '../../../shared/ports/shard-reports.ts';

/** Where workers say what they do, for people. */
export interface ShardReports {
  /** In place of what this worker said of these shards before. */
  report(worker: string, reports: readonly ShardReport[]): Promise<void>;
  /** It does nothing any more, here or at all. @param shards all of them unless given */
  withdraw(worker: string, shards?: readonly Shard[]): Promise<void>;
}
