import { Pool as PgPool, type Pool } from 'pg';
import { Pool as HttpPool } from 'undici';
import { textArray } from '../../shared/postgres/connection/array-literals.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { withDescendants } from '../cpu.ts';
import { startMemorySampler } from '../growth/memory-sampler.ts';
import { median, publishTables, ratioByRound, rounded, type Row } from '../results.ts';
import { microsOf, startOneApi, takeTurn, type Turn } from '../one-api.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { kindsOf, shuffledUsers, type Kind } from './lists.ts';
import { apiKey, emptyLists, sendList } from './send-list.ts';

/**
 * Measures the time to upload a list of a million users, and the memory of the API meanwhile. The time runs from the
 * first byte to the answer that campaigns may use the list. The rows are ascending, shuffled, compressed, or have a
 * country each. For comparison, a bare `insert … unnest` stores the shuffled rows, ten thousand at a time, into a table
 * with the same key. It uses one connection and no HTTP. All cases take turns on one Postgres.
 */
const question = 'Uploaded rows per second';
const allRows = 1_000_000;
const perStatement = 10_000;

interface MeasuredTurn extends Turn {
  peakMiB: number;
}

export async function benchmarkUpload({ rounds, quick }: { rounds: number; quick: boolean }): Promise<void> {
  const rows = quick ? allRows / 10 : allRows;
  const postgres = await startPostgresAlone(databaseSettings);
  let bench: Bench | undefined;
  try {
    if (!quick) await warmDatabase(postgres.databaseUrl);
    bench = await startBench(postgres.databaseUrl, () => withDescendants(postgres.pid()));
    const shuffled = shuffledUsers(rows);
    const kinds = kindsOf(shuffled);
    const bare: Turn[] = [];
    const measured = new Map<Kind, MeasuredTurn[]>(kinds.map((kind) => [kind, []]));
    for (const kind of kinds) await bench.upload(kind, rows);
    for (let round = 1; round <= rounds; round++) {
      bare.push(await bench.insertBare(shuffled));
      for (const kind of kinds) measured.get(kind)?.push(await bench.upload(kind, rows));
      console.error(`round ${round} of ${rounds}`);
    }
    const lines: Row[] = [{ ...rowOf('bare insert of 10,000 rows', bare, bare), 'API peak MiB': null }];
    for (const [{ name }, turns] of measured) {
      const peaks = turns.map(({ peakMiB }) => peakMiB);
      lines.push({ ...rowOf(name, turns, bare), 'API peak MiB': rounded(Math.max(...peaks)) });
    }
    publishTables('upload', question, [{ title: `Lists of ${rows.toLocaleString('en')} users`, rows: lines }]);
  } finally {
    await bench?.stop();
    await postgres.stop();
  }
}

interface Bench {
  upload(kind: Kind, rows: number): Promise<MeasuredTurn>;
  insertBare(users: readonly string[]): Promise<Turn>;
  stop(): Promise<void>;
}

async function startBench(serverUrl: string, postgres: () => readonly number[]): Promise<Bench> {
  const database = await createDatabase(serverUrl);
  await migrate(database.url);
  const pool = new PgPool({ connectionString: database.url, max: 1 });
  const { api, url } = await startOneApi(database.url, { environment: { MUSTER_BOOTSTRAP_API_KEY: apiKey } });
  const http = new HttpPool(url, { connections: 1, bodyTimeout: 0, headersTimeout: 0 });
  const processes = { api: () => [api.pid], postgres };

  return {
    insertBare: (users) => insertBare(pool, users, { postgres }),
    upload: async (kind, rows) => {
      const endSampling = startMemorySampler({ api: processes.api });
      const turn = await takeTurn([kind.body], { atOnce: 1, items: rows, processes }, async (bytes) => {
        await sendList(http, { ...kind, body: bytes }, rows);
      });
      // Empties the tables, so that the next turn begins with tables of the same size.
      await pool.query(emptyLists);
      return { ...turn, peakMiB: endSampling()['api']?.peakMiB ?? 0 };
    },
    stop: async () => {
      await http.close();
      await api.end('SIGTERM');
      await pool.end();
      await database.drop();
    },
  };
}

const bareTable = `
  create temp table bare_users (country text collate "C" not null, user_id text collate "C" not null, primary key (country, user_id))`;
const bareInsert = `insert into bare_users (country, user_id) select 'SG', user_id from unnest($1::text[]) u (user_id)`;

async function insertBare(
  pool: Pool,
  users: readonly string[],
  processes: { postgres: () => readonly number[] },
): Promise<Turn> {
  await pool.query(bareTable);
  const statements = Array.from({ length: users.length / perStatement }, (_, index) =>
    users.slice(index * perStatement, (index + 1) * perStatement),
  );
  const turn = await takeTurn(statements, { atOnce: 1, items: users.length, processes }, async (some) => {
    await pool.query({ name: 'bare', text: bareInsert, values: [textArray(some)] });
  });
  await pool.query('drop table bare_users');
  return turn;
}

function rowOf(name: string, turns: readonly Turn[], bare: readonly Turn[]): Row {
  const rates = (some: readonly Turn[]) => some.map(({ rate }) => rate);
  const seconds = turns.map(({ latenciesMs }) => latenciesMs.reduce((sum, ms) => sum + ms, 0) / 1000);
  return {
    case: name,
    'rows/s': rounded(median(rates(turns))),
    'ratio to bare': rounded(ratioByRound(rates(turns), rates(bare))),
    seconds: rounded(median(seconds)),
    'API µs per row': microsOf('api', turns),
    'Postgres µs per row': microsOf('postgres', turns),
  };
}
