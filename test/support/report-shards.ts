import type { Pool } from 'pg';
import { createShardReports } from '../../services/worker/report/postgres/shard-reports.ts';

/**
 * Reports shards like a worker.
 * @param refusal null if the worker serves them
 */
export async function reportShards(
  pool: Pool,
  worker: string,
  { actions, countries }: { actions: readonly string[]; countries: readonly string[] },
  refusal: string | null = null,
): Promise<void> {
  const idle = { inFlight: 0, callLimit: 0, waiting: 0, breakerOpen: false, batchesPerSecond: 0 };
  const shards = actions.flatMap((actionType) => countries.map((country) => ({ actionType, country })));
  await createShardReports({ pool }).report(
    worker,
    shards.map((shard) => ({ ...shard, ...idle, refusal })),
  );
}
