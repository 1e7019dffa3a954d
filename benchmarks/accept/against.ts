import { startForeignLoadMeter, withDescendants } from '../cpu.ts';
import { ownRoot, runCommand } from '../installation.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { publishTables } from '../results.ts';
import { sourceOf } from '../source-of.ts';
import { measureAlternately, quietRounds, rowsOf, type Version, type Turn } from '../two-versions.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { sendJobs, startAcceptingApi, type Kind } from './send-jobs.ts';

/**
 * Compares the cost of accepting a job with the cost at another commit. Each version's API is a process with a database
 * of its own. Both use one Postgres and take turns.
 */
const kinds: readonly Kind[] = [
  { name: 'single requests', perRequest: 0, connections: 64, jobs: 20_000 },
  { name: 'bulk of 500', perRequest: 500, connections: 4, jobs: 100_000 },
];
const warmUpJobs = 5000;

interface AcceptingApi {
  pid: () => number;
  url: string;
  stop: () => Promise<void>;
}

async function startAccepting(serverUrl: string, root: string): Promise<AcceptingApi> {
  const database = await createDatabase(serverUrl);
  await runCommand(root, 'migrate', { DATABASE_URL: database.url });
  const { api, url } = await startAcceptingApi(database.url, root);
  return {
    pid: () => api.pid,
    url,
    stop: async () => {
      await api.end('SIGTERM');
      await database.drop();
    },
  };
}

export interface AgainstOptions {
  ref: string;
  rounds: number;
  quick: boolean;
}

export async function compareAccepting({ ref, rounds, quick }: AgainstOptions): Promise<void> {
  const other = sourceOf(ref);
  const postgres = await startPostgresAlone(databaseSettings);
  const started: AcceptingApi[] = [];
  try {
    if (!quick) await warmDatabase(postgres.databaseUrl);
    const start = async (root: string) => {
      const side = await startAccepting(postgres.databaseUrl, root);
      started.push(side);
      return side;
    };
    const sides = { this: await start(ownRoot), other: await start(other.root) };
    const take = async (side: Version, kind: Kind, jobs: number): Promise<Turn> => {
      const { url, pid } = sides[side];
      const processes = { server: () => [pid()], postgres: () => withDescendants(postgres.pid()) };
      const readForeign = startForeignLoadMeter(() => withDescendants(process.pid));
      const { rate, cpu } = await sendJobs(url, kind, jobs, processes);
      const { client: _client, ...ofServers } = cpu;
      return { rate, cpu: ofServers, foreignLoad: readForeign() };
    };
    const tables = [];
    for (const kind of kinds) {
      for (const side of ['this', 'other'] as const) await take(side, kind, warmUpJobs);
      const jobs = quick ? kind.jobs / 4 : kind.jobs;
      const { quiet, note } = quietRounds(await measureAlternately(rounds, 'jobs', (side) => take(side, kind, jobs)));
      const title = `${kind.name}, ${kind.connections} connections; ${note}`;
      tables.push({ title, rows: rowsOf(quiet, { one: 'job', many: 'jobs' }) });
    }
    publishTables('accept-against', `This tree beside ${other.description}, interleaved`, tables);
  } finally {
    for (const side of started) await side.stop();
    await postgres.stop();
    other.remove();
  }
}
