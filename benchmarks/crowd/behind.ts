import { crowdRow, crowdTitle, measureCrowd, type Crowd, type CrowdRound } from '../neighbours/callbacks.ts';
import type { Table } from '../results.ts';
import type { Servers } from '../servers.ts';

/**
 * A crowd of clients that are behind: each has twenty jobs due at once, and only some three of them are called while
 * the neighbour is measured.
 */
const backloggedClients = (clients: number): Crowd => ({
  name: `behind-${clients}`,
  title: `${clients} clients that are behind`,
  jobs: 20 * clients,
  clients,
  overMs: 1,
  concurrency: 50,
  latencyMs: 300,
  leadMs: 5000,
});

const crowds: readonly Crowd[] = [
  backloggedClients(100),
  backloggedClients(1000),
  {
    name: 'million',
    title: '1,000,000 jobs of another client, due at once, whose receiver takes 300 ms',
    jobs: 1_000_000,
    overMs: 1,
    concurrency: 50,
    latencyMs: 300,
    leadMs: 15_000,
  },
];

/** Measures how late one client's callbacks are while other clients have more due jobs than their rates allow. */
export async function measureBehind(servers: Servers, rounds: number): Promise<Table> {
  const measured = new Map(crowds.map((crowd) => [crowd, new Array<CrowdRound>()]));
  for (let round = 1; round <= rounds; round++) {
    for (const [crowd, ofCrowd] of measured) {
      ofCrowd.push(await measureCrowd(crowd, servers));
      console.error(`round ${round}, ${crowd.name}: ${JSON.stringify(crowdRow(crowd, ofCrowd.slice(-1)))}`);
    }
  }
  return { title: crowdTitle, rows: [...measured].map(([crowd, ofCrowd]) => crowdRow(crowd, ofCrowd)) };
}
