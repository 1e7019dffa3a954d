import { join } from 'node:path';
import { z } from 'zod';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { startChild } from '../child.ts';
import { withDescendants } from '../cpu.ts';
import { ownRoot } from '../installation.ts';
import { figuresOf, microsOf, type Processes, type Turn } from '../one-api.ts';
import { createDatabase } from '../own-database.ts';
import { publishParts } from '../parts.ts';
import { startPostgresAlone, type PostgresAlone } from '../postgres-alone.ts';
import { requirePeers } from '../peers/load-peer.ts';
import { requireRedis, startRedis } from '../peers/redis-server.ts';
import { median, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import { storedSettings } from '../stored-jobs.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { adders } from './adders.ts';
import { sendJobs, startAcceptingApi, type Kind } from './send-jobs.ts';
import { startAdders } from './start-adders.ts';
import { measureStoredAccept } from './stored.ts';

/**
 * How many jobs a second does one API process accept, singly over 64 and 256 connections and in bulk of 100 and 500?
 * Each has a key, and each is new. Beside it the web framework alone, which stores nothing, and processes that add the
 * same jobs without HTTP: the bare loop, which keeps keys apart by the ids that it makes of them, and stores what is
 * waiting by one `insert … unnest`; what the API does behind its requests; and three job queues. Singly by 64 callers,
 * and 500 in a call by two. All on one Postgres and one Redis, in turns.
 */
const question = 'Jobs accepted per second';

interface ServedKind extends Kind {
  server: 'muster' | 'framework';
}

const kinds: readonly ServedKind[] = [
  { name: 'the framework alone', perRequest: 0, connections: 64, jobs: 60_000, server: 'framework' },
  { name: 'single requests', perRequest: 0, connections: 64, jobs: 40_000, server: 'muster' },
  { name: 'single requests', perRequest: 0, connections: 256, jobs: 40_000, server: 'muster' },
  { name: 'bulk of 100', perRequest: 100, connections: 8, jobs: 100_000, server: 'muster' },
  { name: 'bulk of 500', perRequest: 500, connections: 4, jobs: 100_000, server: 'muster' },
];
const ways = {
  singly: { perCall: 1, atOnce: 64, jobs: 40_000 },
  bulk: { perCall: 500, atOnce: 2, jobs: 100_000 },
} as const;
type Way = keyof typeof ways;
/** A queue that stores each job by itself needs a minute for what others store in a second. */
const fewer: Readonly<Record<string, number>> = { 'pg-boss singly': 0.1, 'graphile-worker singly': 0.1 };
const shareOfQuick = 0.25;

type Turns = Map<string, Turn[]>;

export interface AcceptOptions {
  rounds: number;
  quick: boolean;
  /** One part only. */
  only: string | undefined;
}

interface Part {
  settings?: Readonly<Record<string, string | number>>;
  measure: (postgres: PostgresAlone, options: AcceptOptions) => Promise<Table[]>;
}

const parts: Readonly<Record<string, Part>> = {
  beside: { measure: measureBeside },
  stored: {
    settings: storedSettings,
    measure: (postgres, { rounds, quick }) => measureStoredAccept(postgres, rounds, quick ? 1_000_000 : 10_000_000),
  },
};

export async function benchmarkAccept(options: AcceptOptions): Promise<void> {
  await publishParts({ name: 'accept', question, parts, only: options.only }, async ({ settings, measure }) => {
    const postgres = await startPostgresAlone({ ...databaseSettings, ...settings });
    try {
      return await measure(postgres, options);
    } finally {
      await postgres.stop();
    }
  });
}

async function measureBeside(postgres: PostgresAlone, { rounds, quick }: AcceptOptions): Promise<Table[]> {
  requirePeers();
  const redis = await startRedis(requireRedis(process.env));
  let bench: Bench | undefined;
  try {
    if (!quick) await warmDatabase(postgres.databaseUrl);
    const servers = { databaseUrl: postgres.databaseUrl, redisPort: redis.port };
    bench = await startBench(servers, { postgres: () => withDescendants(postgres.pid()), redis: () => [redis.pid] });
    const turns: Turns = new Map();
    const note = (name: string, turn: Turn) => turns.set(name, [...(turns.get(name) ?? []), turn]);
    const share = quick ? shareOfQuick : 1;
    for (const kind of kinds) await bench.send(kind, 5000);
    for (let round = 1; round <= rounds; round++) {
      for (const kind of kinds) note(nameOf(kind), await bench.send(kind, kind.jobs * share));
      for (const way of ['singly', 'bulk'] as const) {
        for (const adder of Object.keys(adders)) {
          note(`${adder} ${way}`, await bench.add(adder, way, share * (fewer[`${adder} ${way}`] ?? 1)));
        }
      }
      console.error(`round ${round} of ${rounds}`);
    }
    return [
      { title: 'One API process, jobs with keys', rows: kinds.map((kind) => requestRow(kind, turns)) },
      { title: 'Added without HTTP, singly by 64 callers', rows: adderRows('singly', turns) },
      { title: 'Added without HTTP, 500 in a call, by two callers', rows: adderRows('bulk', turns) },
    ];
  } finally {
    await bench?.stop();
    await redis.stop();
  }
}

const nameOf = ({ name, connections }: Kind) => `${name}, ${connections}`;

function requestRow(kind: ServedKind, turns: Turns): Row {
  const own = turns.get(nameOf(kind)) ?? [];
  const bare = kind.perRequest === 0 ? 'bare singly' : 'bare bulk';
  return {
    case: kind.name,
    connections: kind.connections,
    ...figuresOf('jobs', own, turns.get(bare) ?? []),
    'ratio to framework': kind.perRequest === 0 ? ratioOf(own, turns.get('the framework alone, 64') ?? []) : null,
    'server µs': microsOf('server', own),
    'Postgres µs': microsOf('postgres', own),
    'client µs': microsOf('client', own),
  };
}

function adderRows(way: Way, turns: Turns): Row[] {
  const of = (adder: string) => turns.get(`${adder} ${way}`) ?? [];
  const rateOf = (adder: string) => median(of(adder).map(({ rate }) => rate));
  const best = ['bullmq', 'pg-boss', 'graphile-worker'].toSorted((a, b) => rateOf(b) - rateOf(a))[0] ?? '';
  return Object.keys(adders).map((adder) => ({
    case: adder,
    ...figuresOf('jobs', of(adder), of('bare')),
    'ratio to best queue': ratioOf(of(adder), of(best)),
    'process µs': microsOf('adder', of(adder)),
    'Postgres µs': microsOf('postgres', of(adder)),
    'Redis µs': microsOf('redis', of(adder)),
  }));
}

function ratioOf(turns: readonly Turn[], others: readonly Turn[]): number {
  const rates = (of: readonly Turn[]) => of.map(({ rate }) => rate);
  return rounded(ratioByRound(rates(turns), rates(others)));
}

interface Bench {
  send(kind: ServedKind, jobs: number): Promise<Turn>;
  /** @param share of the jobs that this way has */
  add(adder: string, way: Way, share: number): Promise<Turn>;
  stop(): Promise<void>;
}

async function startBench(servers: { databaseUrl: string; redisPort: number }, pids: Processes): Promise<Bench> {
  const database = await createDatabase(servers.databaseUrl);
  await migrate(database.url);
  const { api, url } = await startAcceptingApi(database.url);
  const framework = startChild(join(ownRoot, 'benchmarks/accept/bare-server.ts'));
  const { port } = z.object({ port: z.int() }).parse(await framework.receive());
  const urls = { muster: url, framework: `http://127.0.0.1:${port}` };
  const group = await startAdders(servers);

  return {
    add: async (adder, way, share) => {
      const { perCall, atOnce, jobs } = ways[way];
      return await group.add(adder, { perCall, atOnce, jobs: Math.ceil((jobs * share) / perCall) * perCall }, pids);
    },
    send: async (kind, jobs) => {
      const own = { muster: api.pid, framework: framework.pid };
      return await sendJobs(urls[kind.server], kind, jobs, { ...pids, server: () => [own[kind.server]] });
    },
    stop: async () => {
      await group.stop();
      await framework.stop();
      await api.end('SIGTERM');
      await database.drop();
    },
  };
}
