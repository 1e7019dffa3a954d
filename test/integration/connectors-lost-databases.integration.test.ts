import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMysqlSource } from '../../services/connectors/databases/mysql/mysql-source.ts';
import { createPostgresSource } from '../../services/connectors/databases/postgres/postgres-source.ts';
import { startTcpProxy } from '../faults/support/tcp-proxy.ts';
import { collect } from '../support/collect.ts';
import { guardedSockets } from '../support/guarded-sockets.ts';
import { startMariaDb, type MariaDb } from '../support/mariadb.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { queryDatabase } from '../support/query-database.ts';
import { startConnectors, type ConnectorsTerms, type RunningConnectors } from '../support/running-connectors.ts';
import { openTestPool } from '../support/test-pool.ts';

let store: TestDatabase;
let shop: TestDatabase;
let mariaDb: MariaDb;
let connectors: RunningConnectors[] = [];

beforeAll(async () => {
  [store, shop, mariaDb] = await Promise.all([createEmptyTestDatabase(), createEmptyTestDatabase(), startMariaDb()]);
});

afterEach(async () => {
  for (const each of connectors) await each.stop();
  connectors = [];
});

afterAll(async () => {
  await Promise.all([store.drop(), shop.drop(), mariaDb.end()]);
});

const runInShop = (statement: string) => queryDatabase(shop.url, statement);

async function start(terms: Pick<ConnectorsTerms, 'segments' | 'shopUrl'>): Promise<RunningConnectors> {
  const running = await startConnectors({ storeUrl: store.url, ...terms });
  connectors.push(running);
  return running;
}

/** Replaces the address by a name, so that each connection looks up the name. */
const byName = (url: string) => url.replace('127.0.0.1', 'shop.test');

describe.each([
  {
    kind: 'Postgres',
    open: (addressesOf?: () => string[]) =>
      createPostgresSource({ url: byName(shop.url), maxConnections: 1 }, guardedSockets(addressesOf)),
    query: `select lpad(i::text, 200, '0') as user_id, 'SG' as country from generate_series(1, 200000) i`,
    cut: () =>
      runInShop(
        `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and application_name = 'muster-connectors'`,
      ),
  },
  {
    kind: 'MariaDB',
    open: (addressesOf?: () => string[]) =>
      createMysqlSource({ url: byName(mariaDb.url), maxConnections: 1 }, guardedSockets(addressesOf)),
    query: `select lpad(seq, 200, '0') as user_id, 'SG' as country from seq_1_to_200000`,
    cut: () =>
      mariaDb.run(
        `begin not atomic
           select id into @reader from information_schema.processlist
             where info like '%seq_1_to_200000%' and id <> connection_id();
           kill connection @reader;
         end`,
      ),
  },
])('rows of $kind', ({ open, query, cut }) => {
  it('are not read if the name of the database later resolves to a forbidden address', async () => {
    let addresses = ['127.0.0.1'];
    const source = open(() => addresses);
    const one = { text: `select 'u1' as user_id, 'SG' as country`, timeoutMs: 10_000 };
    const read = async () => {
      for await (const chunk of source.rows(one, new AbortController().signal)) return chunk;
      return [];
    };
    expect(await read()).toEqual([{ userId: 'u1', country: 'SG' }]);
    addresses = ['169.254.169.254'];
    await expect(read()).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'its address is none that may be called',
    });
    await source.close();
  });

  it('end with an error if the connection is cut in the middle', async () => {
    const source = open();
    let rows = 0;
    const reading = (async () => {
      for await (const part of source.rows({ text: query, timeoutMs: 60_000 }, new AbortController().signal)) {
        if (rows === 0) await cut();
        rows += part.length;
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'SourceError', kind: 'unavailable' });
    expect(rows).toBeLessThan(200_000);
    await source.close();
  });

  it('are no longer read once their reader stops', async () => {
    const source = open();
    const stopping = new AbortController();
    const reading = (async () => {
      for await (const part of source.rows({ text: query, timeoutMs: 60_000 }, stopping.signal))
        if (part.length > 0) stopping.abort();
    })();
    await expect(reading).rejects.toMatchObject({ name: 'SourceError' });
    // The only connection of the source is free again.
    const [first] = await collect(source.rows({ text: query, timeoutMs: 60_000 }, new AbortController().signal));
    expect(first?.[0]).toEqual({ userId: '1'.padStart(200, '0'), country: 'SG' });
    await source.close();
  });
});

describe.each([
  {
    kind: 'Postgres',
    shopUrl: () => shop.url,
    everyone: `select lpad(i::text, 20, '0') as user_id, 'SG' as country from generate_series(1, 100000) i`,
  },
  {
    kind: 'MariaDB',
    shopUrl: () => mariaDb.url,
    everyone: `select lpad(seq, 20, '0') as user_id, 'SG' as country from seq_1_to_100000`,
  },
])('a segment of a $kind that becomes unavailable in the middle of a snapshot', ({ kind, shopUrl, everyone }) => {
  it('is unavailable with the cause, and complete once the database is back', async () => {
    const address = new URL(shopUrl());
    const proxy = await startTcpProxy({ host: address.hostname, port: Number(address.port) });
    address.port = String(proxy.port);
    const id = `cut-${kind.toLowerCase()}`;
    const running = await start({ shopUrl: address.href, segments: { [id]: everyone } });
    const pool = openTestPool({ connectionString: store.url, max: 1 });
    try {
      const snapshot = await running.snapshotOf(id);
      let bytes = 0;
      proxy.inspect({ toClient: (_, { length }) => ((bytes += length) > 1_000_000 ? 'cut' : 'pass') });
      const cut = await running.get(`/${id}/users`, { country: 'SG', snapshot, limit: '10' });
      expect(cut).toMatchObject({ status: 503, body: { code: 'segment-unavailable' } });
      expect(cut.headers.get('retry-after')).toBe('5');
      expect(JSON.stringify(cut.body)).toContain(`segments.${id}.database \\"shop\\" does not answer: `);

      proxy.inspect({});
      await pool.query('update connectors.snapshots set retry_at = now() where id = $1', [snapshot]);
      const users = await running.read(id, 'SG', 5000, snapshot);
      expect(users).toEqual(Array.from({ length: 100_000 }, (_, place) => String(place + 1).padStart(20, '0')));
    } finally {
      await pool.end();
      await proxy.close();
    }
  });
});

describe('a segment of a database that does not answer', () => {
  it('is unavailable until the database is back', async () => {
    const gone = new URL(shop.url);
    gone.port = '1';
    const running = await start({
      shopUrl: gone.href,
      segments: { riders: 'select id as user_id, country from riders' },
    });
    const { status, code, message } = await running.refusalOf('riders');
    expect({ status, code }).toEqual({ status: 503, code: 'segment-unavailable' });
    expect(message).toMatch(/^segments\.riders\.database "shop" does not answer: .*ECONNREFUSED/);
  });
});
