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
 * Measures the jobs per second that one API process accepts: singly over 64 and 256 connections, and in bulk of 100 and
 * 500. Each job has a new key. Two kinds of baselines run beside it: the web framework alone, which stores nothing, and
 * processes that add the same jobs without HTTP. The latter are the bare loop, the API's own work without requests, and
 * three job queues. The bare loop derives ids from keys and stores waiting jobs by one `insert … unnest`. Each process
 * adds jobs singly from 64 callers, and 500 per call from two callers. All cases take turns on one Postgres and one
 * Redis.
 */
const question = 'Jobs accepted per second';

interface RequestKindOnServer extends Kind {
  server: 'muster' | 'framework';
}

const kinds: readonly RequestKindOnServer[] = [
  { name: 'the framework alone', perRequest: 0, connections: 64, jobs: 60_000, server: 'framework' },
  { name: 'single requests', perRequest: 0, connections: 64, jobs: 40_000, server: 'muster' },
  { name: 'single requests', perRequest: 0, connections: 256, jobs: 40_000, server: 'muster' },
  { name: 'bulk of 100', perRequest: 100, connections: 8, jobs: 100_000, server: 'muster' },
  { name: 'bulk of 500', perRequest: 500, connections: 4, jobs: 100_000, server: 'muster' },
];
const submissionModes = {
  singly: { perCall: 1, atOnce: 64, jobs: 40_000 },
  bulk: { perCall: 500, atOnce: 2, jobs: 100_000 },
} as const;
type SubmissionMode = keyof typeof submissionModes;
/**
 * Shares of the usual number of jobs. A queue that stores each job by itself needs a minute for what other queues store
 * in a second.
 */
const slowQueueShares: Readonly<Record<string, number>> = { 'pg-boss singly': 0.1, 'graphile-worker singly': 0.1 };
const quickShare = 0.25;

type Turns = Map<string, Turn[]>;

export interface AcceptOptions {
  rounds: number;
  quick: boolean;
  /** Name of the only part to run; undefined runs all parts. */
  only: string | undefined;
}

interface Part {
  settings?: Readonly<Record<string, string | number>>;
  measure: (postgres: PostgresAlone, options: AcceptOptions) => Promise<Table[]>;
}

const parts: Readonly<Record<string, Part>> = {
  beside: { measure: compareWithQueues },
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

async function compareWithQueues(postgres: PostgresAlone, { rounds, quick }: AcceptOptions): Promise<Table[]> {
  requirePeers();
  const redis = await startRedis(requireRedis(process.env));
  let bench: Bench | undefined;
  try {
    if (!quick) await warmDatabase(postgres.databaseUrl);
    const servers = { databaseUrl: postgres.databaseUrl, redisPort: redis.port };
    bench = await startBench(servers, { postgres: () => withDescendants(postgres.pid()), redis: () => [redis.pid] });
    const turns: Turns = new Map();
    const note = (name: string, turn: Turn) => turns.set(name, [...(turns.get(name) ?? []), turn]);
    const share = quick ? quickShare : 1;
    for (const kind of kinds) await bench.send(kind, 5000);
    for (let round = 1; round <= rounds; round++) {
      for (const kind of kinds) note(nameOf(kind), await bench.send(kind, kind.jobs * share));
      for (const way of ['singly', 'bulk'] as const) {
        for (const adder of Object.keys(adders)) {
          note(`${adder} ${way}`, await bench.add(adder, way, share * (slowQueueShares[`${adder} ${way}`] ?? 1)));
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

function requestRow(kind: RequestKindOnServer, turns: Turns): Row {
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

function adderRows(way: SubmissionMode, turns: Turns): Row[] {
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
  send(kind: RequestKindOnServer, jobs: number): Promise<Turn>;
  /** @param share fraction of the usual number of jobs to add */
  add(adder: string, way: SubmissionMode, share: number): Promise<Turn>;
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
      const { perCall, atOnce, jobs } = submissionModes[way];
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
