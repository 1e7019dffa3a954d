import { crowdRow, measureCrowd, type Crowd, type CrowdRound } from '../neighbours/callbacks.ts';
import type { Table } from '../results.ts';
import type { Servers } from '../servers.ts';

/** The jobs of the slow client last two minutes: longer than the other clients are measured. */
const slowClient: Crowd = {
  name: 'slow-client',
  title: 'one slow client',
  jobs: 20_000,
  overMs: 1,
  concurrency: 50,
  latencyMs: 300,
  leadMs: 2000,
};

/** Measures how late the callbacks of many clients are, alone and beside one whose receiver is slow. */
export async function measureClients(
  servers: Servers,
  { counts, rounds }: { counts: readonly number[]; rounds: number },
): Promise<Table> {
  const measured = new Map(counts.map((count) => [count, new Array<CrowdRound>()]));
  for (let round = 1; round <= rounds; round++) {
    for (const [count, ofCount] of measured) {
      ofCount.push(await measureCrowd(slowClient, servers, count));
      console.error(`round ${round}, ${count} clients: ${JSON.stringify(crowdRow(slowClient, ofCount.slice(-1)))}`);
    }
  }
  const title = '400 callbacks a second of so many clients, alone and beside one more, whose receiver is slow';
  return {
    title,
    rows: [...measured].map(([count, ofCount]) => ({ clients: count, ...crowdRow(slowClient, ofCount) })),
  };
}
