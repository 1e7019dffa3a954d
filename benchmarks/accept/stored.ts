import { migrate } from '../../shared/postgres/connection/migrate.ts';
import type { ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { withDescendants } from '../cpu.ts';
import { microsOf, type Turn } from '../one-api.ts';
import { createDatabase } from '../own-database.ts';
import type { PostgresAlone } from '../postgres-alone.ts';
import { median, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import { fewStored, storeFutureJobs } from '../stored-jobs.ts';
import { warmDatabase } from '../warm-database.ts';
import { sendJobs, startAcceptingApi, type Kind } from './send-jobs.ts';

const kinds: readonly Kind[] = [
  { name: 'single requests', perRequest: 0, connections: 64, jobs: 40_000 },
  { name: 'bulk of 500', perRequest: 500, connections: 4, jobs: 100_000 },
];
/** Jobs to add after a checkpoint, until most pages of the index have been written to the log once. */
const warmUpJobs = 200_000;
const targetRatio = 1.6;

interface Stored {
  jobs: number;
  url: string;
  api: ServiceProcess;
  drop: () => Promise<void>;
  turns: Map<Kind, Turn[]>;
}

/** Measures if accepting gets slower when many jobs are stored. Two databases with an API each take turns. */
export async function measureStoredAccept(postgres: PostgresAlone, rounds: number, many: number): Promise<Table[]> {
  await warmDatabase(postgres.databaseUrl);
  const all: Stored[] = [];
  try {
    for (const jobs of [fewStored, many]) all.push(await openStored(postgres, jobs));
    const take = (stored: Stored, kind: Kind, jobs: number) => {
      const processes = { server: () => [stored.api.pid], postgres: () => withDescendants(postgres.pid()) };
      return sendJobs(stored.url, kind, jobs, processes);
    };
    for (const stored of all) {
      for (const kind of kinds) await take(stored, kind, kind.perRequest === 0 ? kind.jobs : warmUpJobs);
    }
    for (let round = 1; round <= rounds; round++) {
      for (const kind of kinds) {
        for (const stored of all)
          stored.turns.set(kind, [...(stored.turns.get(kind) ?? []), await take(stored, kind, kind.jobs)]);
      }
      console.error(`round ${round} of ${rounds}`);
    }
    return tablesOf(all);
  } finally {
    for (const { api, drop } of all) {
      await api.end('SIGTERM');
      await drop();
    }
  }
}

async function openStored(postgres: PostgresAlone, jobs: number): Promise<Stored> {
  const database = await createDatabase(postgres.databaseUrl);
  await migrate(database.url);
  await storeFutureJobs(database.url, jobs);
  const { api, url } = await startAcceptingApi(database.url);
  return { jobs, url, api, drop: database.drop, turns: new Map() };
}

function tablesOf(all: readonly Stored[]): Table[] {
  const [few] = all;
  const rows: Row[] = [];
  const targets: Row[] = [];
  for (const kind of kinds) {
    const base = few?.turns.get(kind) ?? [];
    for (const { jobs, turns } of all) {
      const own = turns.get(kind) ?? [];
      const [slower, dearer] = [timeRatio(own, base), cpuRatio(own, base)];
      rows.push({
        case: kind.name,
        stored: jobs,
        'jobs/s': rounded(median(own.map(({ rate }) => rate))),
        'server µs': microsOf('server', own),
        'Postgres µs': microsOf('postgres', own),
        'time ratio': rounded(slower),
        'Postgres ratio': rounded(dearer),
      });
      if (jobs === fewStored) continue;
      const verdict = slower <= targetRatio ? 'reached' : 'missed';
      targets.push({
        target: `time of ${kind.name}`,
        asked: `at most ${targetRatio}`,
        measured: rounded(slower),
        verdict,
      });
    }
  }
  return [
    { title: 'Accepted while others are stored', rows },
    { title: 'Targets', rows: targets },
  ];
}

/** Returns the time per job compared with the database that stores few jobs, as a ratio by round. */
function timeRatio(own: readonly Turn[], few: readonly Turn[]): number {
  const rates = (turns: readonly Turn[]) => turns.map(({ rate }) => rate);
  return ratioByRound(rates(few), rates(own));
}

function cpuRatio(own: readonly Turn[], few: readonly Turn[]): number {
  const micros = (turns: readonly Turn[]) => turns.map(({ cpu }) => cpu['postgres'] ?? 0);
  return ratioByRound(micros(own), micros(few));
}
