import { Client } from 'pg';
import { largestPage, segmentDescription, userPage } from '../../shared/contracts/endpoints/segmentation.ts';
import { startConnectors, type Connectors } from '../connectors.ts';
import { startCpuMeter, withDescendants } from '../cpu.ts';
import { startMemorySampler } from '../growth/memory-sampler.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { median, percentile, publishTables, rounded, type Row } from '../results.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';

/**
 * Measures a segment that is defined by SQL: seconds from the first request to the first page, users copied per second,
 * milliseconds of a page of 5,000, and the memory of the connectors. Source and store are two databases of one
 * Postgres. The query is also measured alone, with the sort and without a reader of its rows.
 */
const question = 'Segments by SQL: from the first request to the last page';
const sizes = [1_000_000, 10_000_000];
const countries = ['SG', 'ID', 'VN', 'TH'];
/**
 * Step with which ids are generated. It has no divisor in common with the numbers of users, so that the table's order
 * differs widely from the order of the ids.
 */
const step = 616_037;
const query = 'select user_id, country from customers where is_active';

interface Round {
  querySeconds: number;
  firstPageSeconds: number;
  pagesMs: number[];
  connectorsMicros: number;
  postgresMicros: number;
  peakMiB: number;
}

export async function benchmarkSegments({ rounds, quick }: { rounds: number; quick: boolean }): Promise<void> {
  const postgres = await startPostgresAlone({ ...databaseSettings, max_wal_size: '4GB' });
  try {
    if (!quick) await warmDatabase(postgres.databaseUrl);
    const lines: Row[] = [];
    for (const users of quick ? sizes.map((size) => size / 10) : sizes) {
      const measured = await measureSize(users, rounds, postgres);
      lines.push(rowOf(users, measured));
    }
    publishTables('segments', question, [{ title: 'A segment in four countries', rows: lines }]);
  } finally {
    await postgres.stop();
  }
}

async function measureSize(
  users: number,
  rounds: number,
  postgres: { databaseUrl: string; pid: () => number },
): Promise<Round[]> {
  const [shop, store] = [await createDatabase(postgres.databaseUrl), await createDatabase(postgres.databaseUrl)];
  const client = new Client({ connectionString: shop.url });
  await client.connect();
  let connectors: Connectors | undefined;
  try {
    await fill(client, users);
    const segments = { customers: { name: 'Customers', database: 'shop', query, reuseSeconds: 0 } };
    connectors = await startConnectors({
      storeUrl: store.url,
      file: { databases: { shop: { urlEnv: 'SHOP_URL' } }, segments },
      environment: { SHOP_URL: shop.url },
    });
    const measured: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      const processes = { connectors: [connectors.process.pid], postgres: () => withDescendants(postgres.pid()) };
      measured.push(await measure(client, connectors.url, { users, ...processes }));
      console.error(`${users.toLocaleString('en')} users, round ${round} of ${rounds}`);
    }
    return measured;
  } finally {
    await connectors?.process.end('SIGTERM');
    await client.end();
    await Promise.all([shop.drop(), store.drop()]);
  }
}

async function fill(client: Client, users: number): Promise<void> {
  await client.query(
    'create table customers (user_id text primary key, country text not null, is_active bool not null, name text not null)',
  );
  await client.query(
    `insert into customers
     select 'user-' || lpad(((i * ${step}::int8) % ${users})::text, 9, '0'),
       ('{${countries.join(',')}}'::text[])[1 + i % ${countries.length}], true, 'Customer number ' || i
     from generate_series(0, ${users - 1}) i`,
  );
  await client.query('vacuum analyze customers');
}

interface Measured {
  users: number;
  connectors: readonly number[];
  postgres: () => readonly number[];
}

async function measure(client: Client, url: string, { users, connectors, postgres }: Measured): Promise<Round> {
  const querySeconds = await ownTime(client);
  const described = await fetch(`${url}/v1/segments/customers?country=SG`);
  const { snapshot } = segmentDescription.parse(await described.json());
  const readCpu = startCpuMeter({ connectors: () => connectors, postgres });
  const endSampling = startMemorySampler({ connectors: () => connectors });
  const beganMs = performance.now();
  let first = await pageOf(url, snapshot, null);
  while (!first) first = await pageOf(url, snapshot, null);
  const firstPageSeconds = (performance.now() - beganMs) / 1000;
  const cpu = readCpu();
  const pagesMs: number[] = [];
  for (let after = first.next; after !== null;) {
    const requestedMs = performance.now();
    const page = await pageOf(url, snapshot, after);
    pagesMs.push(performance.now() - requestedMs);
    after = page?.next ?? null;
  }
  const microsOf = (name: string) => (cpu[name] ?? 0) / users;
  return {
    querySeconds,
    firstPageSeconds,
    pagesMs,
    connectorsMicros: microsOf('connectors'),
    postgresMicros: microsOf('postgres'),
    peakMiB: endSampling()['connectors']?.peakMiB ?? 0,
  };
}

/** Returns the time of the sorted query as the connectors run it, without reading its rows. */
async function ownTime(client: Client): Promise<number> {
  const beganMs = performance.now();
  await client.query(`explain (analyze, timing off) select * from (${query}) q order by convert_to(user_id, 'UTF8')`);
  return (performance.now() - beganMs) / 1000;
}

/** Returns a page of users; undefined while the snapshot is being built. */
async function pageOf(url: string, snapshot: string, after: string | null) {
  const requested = new URLSearchParams({ country: 'SG', snapshot, limit: String(largestPage) });
  if (after !== null) requested.set('after', after);
  const response = await fetch(`${url}/v1/segments/customers/users?${requested.toString()}`);
  const body: unknown = await response.json();
  if (response.status === 503) return undefined;
  if (!response.ok) throw new Error(`a page was answered ${response.status}: ${JSON.stringify(body)}`);
  return userPage.parse(body);
}

function rowOf(users: number, rounds: readonly Round[]): Row {
  const middle = (of: (round: Round) => number) => rounded(median(rounds.map(of)));
  const pages = rounds.flatMap(({ pagesMs }) => pagesMs);
  return {
    users: users.toLocaleString('en'),
    'query alone, s': middle(({ querySeconds }) => querySeconds),
    'first page, s': middle(({ firstPageSeconds }) => firstPageSeconds),
    'users/s': middle(({ firstPageSeconds }) => users / firstPageSeconds),
    'connectors µs per user': middle(({ connectorsMicros }) => connectorsMicros),
    'Postgres µs per user': middle(({ postgresMicros }) => postgresMicros),
    'peak MiB': rounded(Math.max(...rounds.map(({ peakMiB }) => peakMiB))),
    'page of 5,000 p50, ms': rounded(percentile(pages, 0.5)),
    'page p99, ms': rounded(percentile(pages, 0.99)),
  };
}
