import { publishParts } from '../parts.ts';
import type { Table } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { measureAudiences } from './audiences.ts';
import { measureIdlePartitions } from './idle-partitions.ts';
import { measureReport } from './report.ts';
import { meteredSettings } from './statements.ts';

/** Measures what grows with the audience, with partitions and with failures. */
const question = 'What grows with the audience, the partitions, the failures';

export interface GrowthOptions {
  rounds: number;
  quick: boolean;
  only: string | undefined;
}

type Part = (servers: Servers, options: GrowthOptions) => Promise<Table[]>;

const parts: Record<string, Part> = {
  audiences: async (servers, { rounds, quick }) => {
    await warmDatabase(servers.infrastructure.databaseUrl);
    return measureAudiences(servers, quick ? [100_000, 1_000_000] : [100_000, 1_000_000, 10_000_000], rounds);
  },
  partitions: async (servers, { rounds, quick }) => [await measureIdlePartitions(servers, quick ? 2 : 2 + rounds)],
  report: async (servers, { quick }) => [
    await measureReport(servers, quick ? [50_000, 500_000] : [50_000, 500_000, 5_000_000]),
  ],
};

export async function benchmarkGrowth(options: GrowthOptions): Promise<void> {
  // Each part has servers of its own: a thousand partitions would slow down the following parts.
  await publishParts({ name: 'growth', question, parts, only: options.only }, (part) =>
    withServers({ ...databaseSettings, ...meteredSettings }, (servers) => part(servers, options)),
  );
}
