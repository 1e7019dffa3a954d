import { Pool as PgPool } from 'pg';
import { Pool as HttpPool } from 'undici';
import { startForeignLoadMeter, withDescendants } from '../cpu.ts';
import { ownRoot, runCommand } from '../installation.ts';
import { startOneApi, takeTurn } from '../one-api.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { publishTables } from '../results.ts';
import { sourceOf } from '../source-of.ts';
import { measureAlternately, quietRounds, rowsOf, type Version, type Turn } from '../two-versions.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { kindsOf, shuffledUsers, type Kind } from './lists.ts';
import { apiKey, emptyLists, sendList } from './send-list.ts';

/**
 * Compares the cost of a row of a list with the cost at another commit. Each version's API is a process with a database
 * of its own. Both use one Postgres and take turns.
 */
const allRows = 1_000_000;
const warmUpRows = 50_000;

export interface AgainstOptions {
  ref: string;
  rounds: number;
  quick: boolean;
}

interface Uploading {
  upload(kind: Kind, rows: number): Promise<Turn>;
  stop(): Promise<void>;
}

async function startUploading(
  serverUrl: string,
  { root, postgres }: { root: string; postgres: () => readonly number[] },
): Promise<Uploading> {
  const database = await createDatabase(serverUrl);
  await runCommand(root, 'migrate', { DATABASE_URL: database.url });
  const pool = new PgPool({ connectionString: database.url, max: 1 });
  const { api, url } = await startOneApi(database.url, { root, environment: { MUSTER_BOOTSTRAP_API_KEY: apiKey } });
  const http = new HttpPool(url, { connections: 1, bodyTimeout: 0, headersTimeout: 0 });
  const processes = { api: () => [api.pid], postgres };

  return {
    upload: async (kind, rows) => {
      const readForeign = startForeignLoadMeter(() => withDescendants(process.pid));
      const terms = { atOnce: 1, items: rows, processes };
      const { rate, cpu } = await takeTurn([kind], terms, (each) => sendList(http, each, rows));
      const foreignLoad = readForeign();
      await pool.query(emptyLists);
      return { rate, cpu, foreignLoad };
    },
    stop: async () => {
      await http.close();
      await api.end('SIGTERM');
      await pool.end();
      await database.drop();
    },
  };
}

export async function compareUploads({ ref, rounds, quick }: AgainstOptions): Promise<void> {
  const other = sourceOf(ref);
  const server = await startPostgresAlone(databaseSettings);
  const started: Uploading[] = [];
  const rows = quick ? allRows / 10 : allRows;
  try {
    if (!quick) await warmDatabase(server.databaseUrl);
    const postgres = () => withDescendants(server.pid());
    const start = async (root: string) => {
      const side = await startUploading(server.databaseUrl, { root, postgres });
      started.push(side);
      return side;
    };
    const sides: Record<Version, Uploading> = { this: await start(ownRoot), other: await start(other.root) };
    const warmUp = kindsOf(shuffledUsers(warmUpRows));
    const tables = [];
    for (const [place, kind] of kindsOf(shuffledUsers(rows)).entries()) {
      const first = warmUp[place];
      if (first) for (const side of ['this', 'other'] as const) await sides[side].upload(first, warmUpRows);
      const { quiet, note } = quietRounds(
        await measureAlternately(rounds, 'rows', (side) => sides[side].upload(kind, rows)),
      );
      const title = `${kind.name}, ${rows.toLocaleString('en')} users; ${note}`;
      tables.push({ title, rows: rowsOf(quiet, { one: 'row', many: 'rows' }) });
    }
    publishTables('upload-against', `This tree beside ${other.description}, interleaved`, tables);
  } finally {
    for (const side of started) await side.stop();
    await server.stop();
    other.remove();
  }
}
