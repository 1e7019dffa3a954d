import { Pool as PgPool, type Pool } from 'pg';
import { Pool as HttpPool } from 'undici';
import { receiptsAnswer } from '../../shared/contracts/endpoints/receipts.ts';
import { requestKey } from '../../shared/domain/step/batch.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { signWebhook, webhookHeaders, webhookKeyOf } from '../../shared/domain/endpoint/standard-webhooks.ts';
import { textArray } from '../../shared/postgres/connection/array-literals.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { withDescendants } from '../cpu.ts';
import { writeRun } from '../explain/explain.ts';
import { figuresOf, microsOf, unusedUrl, startOneApi, takeTurn, type Processes, type Turn } from '../one-api.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { publishTables, type Row } from '../results.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { batchUsers, userOf } from '../written-run.ts';

/**
 * Measures the signed delivery receipts per second of one API process, in requests of 1, 100 and 1,000. The receipts
 * belong to users of one run in four countries, in the order of its batches, and each is new. Receipts with a run id
 * are matched by searching each country, or only the named country. Receipts with the key of a call are matched by that
 * key. For comparison, a bare `insert … unnest` stores the same rows, a thousand at a time, over one connection and
 * without HTTP. All cases take turns on one Postgres.
 */
const question = 'Delivery receipts per second';
const runUsers = 2_000_000;

interface Kind {
  name: string;
  perRequest: number;
  connections: number;
  named: 'run' | 'run and country' | 'key';
  receipts: number;
}

const sizes = [
  { name: 'requests of 1', perRequest: 1, connections: 64, receipts: 20_000 },
  { name: 'requests of 100', perRequest: 100, connections: 16, receipts: 60_000 },
  { name: 'requests of 1,000', perRequest: 1000, connections: 8, receipts: 60_000 },
] as const;
const kinds: readonly Kind[] = (['run', 'run and country', 'key'] as const).flatMap((named) =>
  sizes.map((size) => ({ ...size, named })),
);
const bareRows = 60_000;
const barePerStatement = 1000;

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const key = webhookKeyOf(secret);

export async function benchmarkReceipts({ rounds, quick }: { rounds: number; quick: boolean }): Promise<void> {
  const postgres = await startPostgresAlone(databaseSettings);
  let bench: Bench | undefined;
  try {
    if (!quick) await warmDatabase(postgres.databaseUrl);
    bench = await startBench(postgres.databaseUrl, () => withDescendants(postgres.pid()));
    const bare: Turn[] = [];
    const measured = new Map<Kind, Turn[]>(kinds.map((kind) => [kind, []]));
    const share = quick ? 0.25 : 1;
    for (const kind of kinds) await bench.send(kind, 2000);
    for (let round = 1; round <= rounds; round++) {
      bare.push(await bench.insertBare(bareRows * share));
      for (const kind of kinds) measured.get(kind)?.push(await bench.send(kind, kind.receipts * share));
      console.error(`round ${round} of ${rounds}`);
    }
    const rows = [
      rowOf('bare insert of 1,000 rows', '–', bare, bare),
      ...[...measured].map(([{ name, named }, turns]) => rowOf(name, named, turns, bare)),
    ];
    publishTables('receipts', question, [{ title: 'One API process, signed requests', rows }]);
  } finally {
    await bench?.stop();
    await postgres.stop();
  }
}

interface Bench {
  send(kind: Kind, receipts: number): Promise<Turn>;
  insertBare(rows: number): Promise<Turn>;
  stop(): Promise<void>;
}

/** Returns a function that returns the next user on each call, so that each receipt is new. */
function createUsers(feeds: readonly { feed: string; country: string }[]) {
  const perFeed = runUsers / feeds.length;
  let taken = 0;
  return () => {
    const index = taken++;
    if (index >= runUsers) throw new Error('the run has too few users for so many rounds');
    const [user, step] = [index, 1];
    const { feed: feedId = '', country = '' } = feeds[Math.floor(user / perFeed)] ?? {};
    return { user: userOf(user), step, feedId, country, batchNo: Math.floor((user % perFeed) / batchUsers) + 1 };
  };
}

async function startBench(serverUrl: string, postgresPids: () => readonly number[]): Promise<Bench> {
  const database = await createDatabase(serverUrl);
  await migrate(database.url);
  const pool = new PgPool({ connectionString: database.url, max: 1 });
  const runId = await writeRun(pool, runUsers);
  await pool.query(bareTable);
  const { rows } = await pool.query<{ feed: string; country: string }>(
    'select f.feed, f.country from feeds f join batches b on b.feed = f.feed and b.batch_no = 1 where f.run = $1 order by b.first_user',
    [runId],
  );
  const nextUser = createUsers(rows);
  const { api, url } = await startOneApi(database.url, {
    engine: { actionTypes },
    environment: { RECEIPTS_SECRET: secret },
  });
  const run = publicId('run', runId);
  const processes = { api: () => [api.pid], postgres: postgresPids };

  return {
    insertBare: (count) => insertBare(pool, nextUser, count, { postgres: postgresPids }),
    send: async ({ perRequest, connections, named }, receipts) => {
      const bodies = Array.from({ length: Math.ceil(receipts / perRequest) }, () =>
        JSON.stringify({
          receipts: Array.from({ length: perRequest }, () => {
            const { user, step, feedId, country, batchNo } = nextUser();
            const place = {
              run: { run, step },
              'run and country': { run, step, country },
              key: { key: requestKey(feedId, batchNo, step) },
            };
            return { ...place[named], user, status: 'delivered', at: new Date().toISOString() };
          }),
        }),
      );
      return await sendAll(url, bodies, { perRequest, connections, processes });
    },
    stop: async () => {
      await api.end('SIGTERM');
      await pool.end();
      await database.drop();
    },
  };
}

const actionTypes = {
  'award-reward': { url: unusedUrl, class: 'B', receipts: true, receiptsSecretEnv: 'RECEIPTS_SECRET' },
};

interface SendTerms {
  perRequest: number;
  connections: number;
  processes: Processes;
}

/** Sends the bodies over `connections` concurrent connections. */
async function sendAll(
  url: string,
  bodies: readonly string[],
  { perRequest, connections, processes }: SendTerms,
): Promise<Turn> {
  const http = new HttpPool(url, { connections });
  const signed = bodies.map((body, index) => ({ body, headers: headersOf(body, index) }));
  const items = bodies.length * perRequest;
  const turn = await takeTurn(signed, { atOnce: connections, items, processes }, async (request) => {
    const answer = await http.request({ method: 'POST', path: '/v1/receipts', ...request });
    const text = await answer.body.text();
    const { accepted } = receiptsAnswer.parse(JSON.parse(text));
    if (accepted !== perRequest) throw new Error(`of ${perRequest} receipts, ${accepted} were accepted: ${text}`);
  });
  await http.close();
  return turn;
}

function headersOf(body: string, index: number): Record<string, string> {
  if (!key) throw new Error('the secret is none');
  const id = `msg_${index}`;
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    'content-type': 'application/json',
    [webhookHeaders.id]: id,
    [webhookHeaders.timestamp]: String(timestamp),
    [webhookHeaders.signature]: signWebhook(key, id, timestamp, Buffer.from(body)),
  };
}

/** Table with the stored columns of a receipt and the same primary key, without any other index. */
const bareTable = `
  create table bare_receipts (
    feed uuid not null, step int2 not null, user_id text collate "C" not null, delivered boolean not null, code text,
      at timestamptz not null,
    primary key (feed, step, user_id))`;

const bareInsert = `
  insert into bare_receipts (feed, step, user_id, delivered, at)
  select feed, step, user_id, true, now() from unnest($1::uuid[], $2::int2[], $3::text[]) k (feed, step, user_id)`;

async function insertBare(
  pool: Pool,
  nextUser: ReturnType<typeof createUsers>,
  rows: number,
  processes: Processes,
): Promise<Turn> {
  const groups = Array.from({ length: rows / barePerStatement }, () => {
    const users = Array.from({ length: barePerStatement }, nextUser);
    return [
      `{${users.map(({ feedId }) => feedId).join(',')}}`,
      `{${users.map(({ step }) => step).join(',')}}`,
      textArray(users.map(({ user }) => user)),
    ];
  });
  return await takeTurn(groups, { atOnce: 1, items: rows, processes }, async (values) => {
    await pool.query({ name: 'bare', text: bareInsert, values });
  });
}

function rowOf(name: string, named: string, turns: readonly Turn[], bare: readonly Turn[]): Row {
  return {
    case: name,
    'named by': named,
    ...figuresOf('receipts', turns, bare),
    'API µs per receipt': microsOf('api', turns),
    'Postgres µs per receipt': microsOf('postgres', turns),
  };
}
