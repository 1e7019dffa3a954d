import { publishParts } from '../parts.ts';
import type { Table } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { measureEnds } from './ends.ts';
import { measurePartitions } from './partitions.ts';
import { measureWorkers } from './workers.ts';

/**
 * Measures how the throughput depends on the number of workers and of partitions, and if one more worker can make a
 * campaign slower.
 */
const question = 'Batches per second by workers and by partitions';

export interface ScalingOptions {
  rounds: number;
  quick: boolean;
  only: string | undefined;
}

type Part = (servers: Servers, options: ScalingOptions) => Promise<Table[]>;

const parts: Record<string, Part> = {
  workers: measureWorkers,
  ends: measureEnds,
  partitions: async (servers, options) => {
    await warmDatabase(servers.infrastructure.databaseUrl);
    return await measurePartitions(servers, options);
  },
};

export async function benchmarkScaling(options: ScalingOptions): Promise<void> {
  await publishParts({ name: 'scaling', question, parts, only: options.only }, (part) =>
    withServers(databaseSettings, (servers) => part(servers, options)),
  );
}
