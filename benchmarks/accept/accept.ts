import { join } from 'node:path';
import { Pool as HttpPool } from 'undici';
import { z } from 'zod';
import { migrate } from '../../shared/postgres/migrate.ts';
import { startChild } from '../child.ts';
import { withDescendants } from '../cpu.ts';
import { ownRoot } from '../installation.ts';
import { figuresOf, microsOf, startOneApi, takeTurn, type Processes, type Turn } from '../one-api.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { requireRedis, startRedis } from '../peers/redis-server.ts';
import { median, publishTables, ratioByRound, rounded, type Row } from '../results.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { addedJob } from './added-jobs.ts';
import { adders } from './adders.ts';
import { startAdders } from './start-adders.ts';

/**
 * How many jobs a second does one API process accept, singly over 64 and 256 connections and in bulk of 100 and 500? Each has a key, and each is
 * new. Beside it the web framework alone, which stores nothing, and processes that add the same jobs without HTTP: the bare loop, which keeps
 * keys apart by the ids that it makes of them, and stores what is waiting by one `insert … unnest`; what the API does behind its requests; and
 * three job queues. Singly by 64 callers, and 500 in a call by two. All on one Postgres and one Redis, in turns.
 */
const question = 'Jobs accepted per second';

interface Kind {
  name: string;
  /** 0: one job as a request of its own. */
  perRequest: number;
  connections: number;
  jobs: number;
  server: 'muster' | 'framework';
}

const kinds: readonly Kind[] = [
  { name: 'the framework alone', perRequest: 0, connections: 64, jobs: 60_000, server: 'framework' },
  { name: 'single requests', perRequest: 0, connections: 64, jobs: 40_000, server: 'muster' },
  { name: 'single requests', perRequest: 0, connections: 256, jobs: 40_000, server: 'muster' },
  { name: 'bulk of 100', perRequest: 100, connections: 8, jobs: 100_000, server: 'muster' },
  { name: 'bulk of 500', perRequest: 500, connections: 4, jobs: 100_000, server: 'muster' },
];
const apiKey = 'muster_the-key-of-the-benchmark';
const ways = {
  singly: { perCall: 1, atOnce: 64, jobs: 40_000 },
  bulk: { perCall: 500, atOnce: 2, jobs: 100_000 },
} as const;
type Way = keyof typeof ways;
/** A queue that stores each job by itself needs a minute for what others store in a second. */
const fewer: Readonly<Record<string, number>> = { 'pg-boss singly': 0.1, 'graphile-worker singly': 0.1 };
const shareOfQuick = 0.25;

type Turns = Map<string, Turn[]>;

export async function benchmarkAccept({ rounds, quick }: { rounds: number; quick: boolean }): Promise<void> {
  const redisCommand = requireRedis(process.env);
  const postgres = await startPostgresAlone(databaseSettings);
  const redis = await startRedis(redisCommand);
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
    publishTables('accept', question, [
      { title: 'One API process, jobs with keys', rows: kinds.map((kind) => requestRow(kind, turns)) },
      { title: 'Added without HTTP, singly by 64 callers', rows: adderRows('singly', turns) },
      { title: 'Added without HTTP, 500 in a call, by two callers', rows: adderRows('bulk', turns) },
    ]);
  } finally {
    await bench?.stop();
    await redis.stop();
    await postgres.stop();
  }
}

const nameOf = ({ name, connections }: Kind) => `${name}, ${connections}`;

function requestRow(kind: Kind, turns: Turns): Row {
  const own = turns.get(nameOf(kind)) ?? [];
  const bare = kind.perRequest === 0 ? 'bare singly' : 'bare bulk';
  return {
    ...{ case: kind.name, connections: kind.connections },
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
  send(kind: Kind, jobs: number): Promise<Turn>;
  /** @param share of the jobs that this way has */
  add(adder: string, way: Way, share: number): Promise<Turn>;
  stop(): Promise<void>;
}

async function startBench(servers: { databaseUrl: string; redisPort: number }, pids: Processes): Promise<Bench> {
  const database = await createDatabase(servers.databaseUrl);
  await migrate(database.url);
  const { api, url } = await startOneApi(database.url, { environment: { MUSTER_BOOTSTRAP_API_KEY: apiKey } });
  await makeClient(url);
  const framework = startChild(join(ownRoot, 'benchmarks/accept/bare-server.ts'));
  const { port } = z.object({ port: z.int() }).parse(await framework.receive());
  const urls = { muster: url, framework: `http://127.0.0.1:${port}` };
  const group = await startAdders(servers);

  return {
    add: async (adder, way, share) => {
      const { perCall, atOnce, jobs } = ways[way];
      return await group.add(adder, { perCall, atOnce, jobs: Math.ceil((jobs * share) / perCall) * perCall }, pids);
    },
    send: async ({ perRequest, connections, server }, jobs) => {
      const bodies = Array.from({ length: Math.ceil(jobs / Math.max(1, perRequest)) }, () => bodyOf(perRequest));
      const own = { muster: api.pid, framework: framework.pid };
      const processes = { ...pids, server: () => [own[server]], client: () => [process.pid] };
      return await sendAll(urls[server], bodies, { perRequest, connections, processes });
    },
    stop: async () => {
      await group.stop();
      await framework.stop();
      await api.stop();
      await database.drop();
    },
  };
}

const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };

async function makeClient(url: string): Promise<void> {
  const body = JSON.stringify({ name: 'orders', maxStoredJobs: 1_000_000_000 });
  const answer = await fetch(`${url}/v1/clients`, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`no client could be made: ${await answer.text()}`);
}

function bodyOf(perRequest: number): string {
  if (perRequest === 0) return JSON.stringify({ client: 'orders', ...addedJob() });
  return JSON.stringify({ client: 'orders', jobs: Array.from({ length: perRequest }, addedJob) });
}

interface SendTerms {
  perRequest: number;
  connections: number;
  processes: Processes;
}

/** As many requests at once as there are connections. */
async function sendAll(
  url: string,
  bodies: readonly string[],
  { perRequest, connections, processes }: SendTerms,
): Promise<Turn> {
  const http = new HttpPool(url, { connections });
  const path = perRequest === 0 ? '/v1/jobs' : '/v1/jobs/bulk';
  const items = bodies.length * Math.max(1, perRequest);
  const turn = await takeTurn(bodies, { atOnce: connections, items, processes }, async (body) => {
    const answer = await http.request({ method: 'POST', path, headers, body });
    const text = await answer.body.text();
    const isGood = perRequest === 0 ? answer.statusCode === 201 : text.startsWith(`{"accepted":${perRequest},`);
    if (!isGood) throw new Error(`not all were accepted: ${text.slice(0, 500)}`);
  });
  await http.close();
  return turn;
}
