import { publishParts } from '../parts.ts';
import type { Table } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { databaseSettings } from '../warm-database.ts';
import { measureBehind } from './behind.ts';
import { measureClients } from './clients.ts';
import { measureRuns } from './runs.ts';

const question = 'What does one notice of how many others there are?';

export interface CrowdOptions {
  rounds: number;
  quick: boolean;
  only: string | undefined;
}

export async function benchmarkCrowd({ rounds, quick, only }: CrowdOptions): Promise<void> {
  const clients = (servers: Servers) =>
    measureClients(servers, { counts: quick ? [1, 1000] : [1, 10, 100, 1000], rounds });
  const behind = (servers: Servers) => measureBehind(servers, rounds);
  const runs = (servers: Servers) => measureRuns(servers, { counts: quick ? [0, 1000] : [0, 100, 1000, 5000], rounds });
  await withServers(databaseSettings, (servers) =>
    publishParts<(servers: Servers) => Promise<Table>>(
      { name: 'crowd', question, parts: { clients, behind, runs }, only },
      async (part) => [await part(servers)],
    ),
  );
}
