import { join } from 'node:path';
import { Pool as PgPool, type Pool } from 'pg';
import { Pool as HttpPool } from 'undici';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { textArray } from '../../shared/postgres/array-literals.ts';
import { migrate } from '../../shared/postgres/migrate.ts';
import { startChild } from '../child.ts';
import { withDescendants } from '../cpu.ts';
import { ownRoot } from '../installation.ts';
import { figuresOf, microsOf, nowhere, startOneApi, takeTurn, type Processes, type Turn } from '../one-api.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { publishTables, type Row } from '../results.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';

/**
 * How many jobs a second does one API process accept, singly over 64 and 256 connections and in bulk of 100 and 500? Each has a key, and each is
 * new. Beside it the same rows by a bare `insert … unnest` of 500 into a table of the same columns and indexes, two statements at once and
 * without HTTP, and the web framework alone, which stores nothing. All on one Postgres, in turns.
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
const bareRows = 100_000;
const barePerStatement = 500;
const bareAtOnce = 2;
const apiKey = 'muster_the-key-of-the-benchmark';

export async function benchmarkAccept({ rounds, quick }: { rounds: number; quick: boolean }): Promise<void> {
  const postgres = await startPostgresAlone(databaseSettings);
  let bench: Bench | undefined;
  try {
    if (!quick) await warmDatabase(postgres.databaseUrl);
    bench = await startBench(postgres.databaseUrl, () => withDescendants(postgres.pid()));
    const bare: Turn[] = [];
    const measured = new Map<Kind, Turn[]>(kinds.map((kind) => [kind, []]));
    const share = quick ? 0.25 : 1;
    for (const kind of kinds) await bench.send(kind, 5000);
    for (let round = 1; round <= rounds; round++) {
      bare.push(await bench.insertBare(bareRows * share));
      for (const kind of kinds) measured.get(kind)?.push(await bench.send(kind, kind.jobs * share));
      console.error(`round ${round} of ${rounds}`);
    }
    const rows = [
      rowOf('bare insert of 500 rows', bareAtOnce, bare, bare),
      ...[...measured].map(([{ name, connections }, turns]) => rowOf(name, connections, turns, bare)),
    ];
    publishTables('accept', question, [{ title: 'One API process, jobs with keys', rows }]);
  } finally {
    await bench?.stop();
    await postgres.stop();
  }
}

interface Bench {
  send(kind: Kind, jobs: number): Promise<Turn>;
  insertBare(rows: number): Promise<Turn>;
  stop(): Promise<void>;
}

async function startBench(serverUrl: string, postgresPids: () => readonly number[]): Promise<Bench> {
  const database = await createDatabase(serverUrl);
  await migrate(database.url);
  const pool = new PgPool({ connectionString: database.url, max: bareAtOnce });
  await pool.query(bareTable);
  const { api, url } = await startOneApi(database.url, { environment: { MUSTER_BOOTSTRAP_API_KEY: apiKey } });
  await makeClient(url);
  const framework = startChild(join(ownRoot, 'benchmarks/accept/bare-server.ts'));
  const { port } = z.object({ port: z.int() }).parse(await framework.receive());
  const urls = { muster: url, framework: `http://127.0.0.1:${port}` };

  return {
    insertBare: (rows) => insertBare(pool, rows, { postgres: postgresPids }),
    send: async ({ perRequest, connections, server }, jobs) => {
      const bodies = Array.from({ length: Math.ceil(jobs / Math.max(1, perRequest)) }, () => bodyOf(perRequest));
      const pids = { muster: api.pid, framework: framework.pid };
      const processes = { server: () => [pids[server]], postgres: postgresPids, client: () => [process.pid] };
      return await sendAll(urls[server], bodies, { perRequest, connections, processes });
    },
    stop: async () => {
      await framework.stop();
      await api.stop();
      await pool.end();
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

/** 165 bytes of content, due in a day: nobody looks at it. */
function jobOf() {
  const key = uuidv7();
  const body = { order: key, what: 'reminder', filler: 'x'.repeat(80) };
  return { url: `${nowhere}/hooks/orders`, delaySeconds: 86_400, idempotencyKey: key, body };
}

function bodyOf(perRequest: number): string {
  if (perRequest === 0) return JSON.stringify({ client: 'orders', ...jobOf() });
  return JSON.stringify({ client: 'orders', jobs: Array.from({ length: perRequest }, jobOf) });
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

const bareTable = `
  create table bare_jobs (like jobs including defaults);
  alter table bare_jobs add primary key (partition_id, due_at, id);
  create unique index bare_jobs_by_id on bare_jobs (id)`;

const bareInsert = `
  insert into bare_jobs (partition_id, due_at, id, client, scheduled_for, key, method, url, headers, body)
  select ('x' || right(k.id::text, 2))::bit(8)::int % 64, now() + interval '1 day', k.id, $2::uuid, now() + interval '1 day', k.key,
    'POST', 'http://127.0.0.1:9/hooks/orders', '{"content-type":"application/json"}', k.body
  from unnest($1::uuid[], $3::text[], $4::text[]) k (id, key, body)`;

async function insertBare(pool: Pool, rows: number, processes: Processes): Promise<Turn> {
  const client = uuidv7();
  const groups = Array.from({ length: rows / barePerStatement }, () => {
    const jobs = Array.from({ length: barePerStatement }, jobOf);
    const bodies = jobs.map(({ body }) => JSON.stringify(body));
    const ids = jobs.map(() => crypto.randomUUID());
    return [`{${ids.join(',')}}`, client, textArray(jobs.map((job) => job.idempotencyKey)), textArray(bodies)];
  });
  return await takeTurn(groups, { atOnce: bareAtOnce, items: rows, processes }, async (values) => {
    await pool.query({ name: 'bare', text: bareInsert, values });
  });
}

function rowOf(name: string, connections: number, turns: readonly Turn[], bare: readonly Turn[]): Row {
  return {
    ...{ case: name, connections },
    ...figuresOf('jobs', turns, bare),
    'server µs': microsOf('server', turns),
    'Postgres µs': microsOf('postgres', turns),
    'client µs': microsOf('client', turns),
  };
}
