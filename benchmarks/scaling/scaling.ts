import { publishTables, type Table } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { ConfigurationError } from '../../shared/runtime/configuration-error.ts';
import { measurePartitions } from './partitions.ts';
import { measureWorkers } from './workers.ts';

/** Do more workers do more, and more partitions? */
const question = 'Batches per second by workers and by partitions';

export interface ScalingOptions {
  rounds: number;
  quick: boolean;
  only: string | undefined;
}

type Part = (servers: Servers, options: ScalingOptions) => Promise<Table[]>;

const parts: Record<string, Part> = {
  workers: measureWorkers,
  partitions: async (servers, options) => {
    await warmDatabase(servers.infrastructure.databaseUrl);
    return await measurePartitions(servers, options);
  },
};

export async function benchmarkScaling(options: ScalingOptions): Promise<void> {
  const { only } = options;
  const asked = Object.entries(parts).filter(([name]) => only === undefined || name === only);
  if (asked.length === 0)
    throw new ConfigurationError(`--only ${String(only)}: one of ${Object.keys(parts).join(', ')}`);
  const tables: Table[] = [];
  for (const [name, part] of asked) {
    console.error(`scaling: ${name}`);
    await withServers(databaseSettings, async (servers) => {
      tables.push(...(await part(servers, options)));
    });
  }
  publishTables(only === undefined ? 'scaling' : `scaling-${only}`, question, tables);
}
