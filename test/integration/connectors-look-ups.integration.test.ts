import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createMysqlSource } from '../../services/connectors/databases/mysql/mysql-source.ts';
import { createPostgresSource } from '../../services/connectors/databases/postgres/postgres-source.ts';
import type { Source } from '../../services/connectors/databases/source.port.ts';
import { guardedSockets } from '../support/guarded-sockets.ts';
import { startMariaDb, type MariaDb } from '../support/mariadb.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { queryDatabase } from '../support/query-database.ts';

/** Ids with characters that mean something in SQL, of several bytes, and with spaces. */
const oddIds = ["o'neill", "' or 1 = 1 -- ", 'back\\slash', "\\' or 1 = 1 -- ", '🎟️ ticket', '100%', ' two  words '];
/** No double has this value. */
const largeId = '9007199254740993';

const processes = z.array(z.object({ id: z.number() }));

let shop: TestDatabase;
let mariaDb: MariaDb;
let sources: Source[] = [];

const quoted = (id: string) => `'${id.replaceAll("'", "''")}'`;
const tables = [
  'create table customers (id varchar(100) primary key, name varchar(100), points decimal(10, 2))',
  `insert into customers values ('u1', 'Ada', 1.50), ('u2', null, null)`,
  'create table riders (id bigint primary key)',
  `insert into riders values (7), (${largeId})`,
];

beforeAll(async () => {
  [shop, mariaDb] = await Promise.all([createEmptyTestDatabase(), startMariaDb()]);
  const insert = (ids: readonly string[]) => `insert into customers (id) values ${ids.map((id) => `(${id})`).join()}`;
  const ids = oddIds.map(quoted);
  for (const statement of [...tables, insert(ids)]) await queryShop(statement);
  await mariaDb.run(...tables, insert(ids.map((id) => id.replaceAll('\\', '\\\\'))));
});

afterEach(async () => {
  for (const source of sources) await source.close();
  sources = [];
});

afterAll(async () => {
  await Promise.all([shop.drop(), mariaDb.end()]);
});

const queryShop = (statement: string) => queryDatabase(shop.url, statement);

const kinds = [
  {
    kind: 'Postgres',
    open: (url = shop.url) => createPostgresSource({ url, maxConnections: 1 }, guardedSockets()),
    query: queryShop,
    among: (column: string) => `${column} = any(:users)`,
    number: 'id::text',
    gone: 'postgres://shop@127.0.0.1:1/shop',
    slow: 'select pg_sleep(60)',
    writing: 'create function taken() returns text language sql as $$ delete from customers returning id $$',
    refusal: /read-only transaction/,
    sleepers: `select pid as id from pg_stat_activity where datname = current_database() and query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`,
    cut: (id: number) => `select pg_terminate_backend(${id}, 10000)`,
  },
  {
    kind: 'MariaDB',
    open: (url = mariaDb.url) => createMysqlSource({ url, maxConnections: 1 }, guardedSockets()),
    query: (statement: string) => mariaDb.query(statement),
    among: (column: string) => `${column} in (:users)`,
    number: 'id',
    gone: 'mysql://shop@127.0.0.1:1/shop',
    slow: 'select sleep(60)',
    writing: 'create function taken() returns text modifies sql data begin delete from customers; return 1; end',
    refusal: /READ ONLY transaction/,
    sleepers: `select id from information_schema.processlist where info like '%sleep(60)%' and id <> connection_id()`,
    cut: (id: number) => `kill connection ${id}`,
  },
];

describe.each(kinds)(
  'a look-up of users in $kind',
  ({ open, query, among, number, gone, slow, writing, refusal, sleepers, cut }) => {
    function start(url?: string) {
      const source = open(url);
      sources.push(source);
      return (text: string, users: readonly string[], timeoutMs = 60_000) =>
        source.attributes({ text, timeoutMs }, users);
    }

    const customers = `select id as user_id, name, points from customers where ${among('id')}`;

    it('returns the columns of the users that it finds', async () => {
      const found = await start()(customers, ['u2', 'nobody', 'u1']);
      expect([...found.keys()].toSorted()).toEqual(['u1', 'u2']);
      expect(found.get('u1')).toEqual({ user_id: 'u1', name: 'Ada', points: '1.50' });
      expect(found.get('u2')).toEqual({ user_id: 'u2', name: null, points: null });
    });

    it('finds each user by the whole id, and no other user', async () => {
      const lookUp = start();
      for (const id of oddIds) expect([...(await lookUp(customers, [id])).keys()]).toEqual([id]);
      expect([...(await lookUp(customers, oddIds)).keys()].toSorted()).toEqual(oddIds.toSorted());
    });

    it('returns numeric ids unchanged, however large', async () => {
      const riders = `select id as user_id from riders where ${among(number)}`;
      expect([...(await start()(riders, ['7', largeId])).keys()].toSorted()).toEqual(['7', largeId]);
    });

    it.each([
      [
        'returns a user twice',
        'select customers.id as user_id from customers, riders where',
        'several rows for user_id "u1"',
      ],
      ['returns no user_id', 'select id, name from customers where', 'the query has to return user_id in each row'],
      ['names no table that exists', 'select id as user_id from nowhere customers where', 'nowhere'],
    ])('is refused if the query %s', async (_, text, message) => {
      const looking = start()(`${text} ${among('customers.id')}`, ['u1']);
      await expect(looking).rejects.toMatchObject({ name: 'SourceError', kind: 'refused' });
      await expect(looking).rejects.toThrow(message);
    });

    it('cannot change the database', async () => {
      await query(writing);
      const looking = start()(`select taken() as user_id from customers where ${among('id')}`, ['u1']);
      await expect(looking).rejects.toThrow(refusal);
      expect(await query(`select id from customers where id = 'u1'`)).toHaveLength(1);
    });

    it('ends at its time limit, and the next one is served', async () => {
      const lookUp = start();
      const text = `select id as user_id, (${slow}) as slow from customers where ${among('id')}`;
      await expect(lookUp(text, ['u1'], 300)).rejects.toMatchObject({ name: 'SourceError', kind: 'timed-out' });
      expect([...(await lookUp(customers, ['u1'])).keys()]).toEqual(['u1']);
    });

    it('is unavailable if the connection is cut in the middle, and the next one is served', async () => {
      const lookUp = start();
      const looking = lookUp(`select id as user_id, (${slow}) as slow from customers where ${among('id')}`, ['u1']);
      const caught = expect(looking).rejects.toMatchObject({ name: 'SourceError', kind: 'unavailable' });
      const [sleeper] = await vi.waitUntil(async () => {
        const found = processes.parse(await query(sleepers));
        return found.length > 0 && found;
      }, 20_000);
      await query(cut(sleeper?.id ?? 0));
      await caught;
      expect([...(await lookUp(customers, ['u1'])).keys()]).toEqual(['u1']);
    });

    it('is unavailable while the database does not answer', async () => {
      await expect(start(gone)(customers, ['u1'])).rejects.toMatchObject({ name: 'SourceError', kind: 'unavailable' });
    });
  },
);

describe('a look-up of users in a MariaDB', () => {
  const customers = 'select id as user_id from customers where id in (:users)';

  it('finds each user even if the server does not treat a backslash as an escape character', async () => {
    await mariaDb.run(`set global sql_mode = concat(@@global.sql_mode, ',NO_BACKSLASH_ESCAPES')`);
    const source = createMysqlSource({ url: mariaDb.url, maxConnections: 1 }, guardedSockets());
    sources.push(source);
    for (const id of oddIds)
      expect([...(await source.attributes({ text: customers, timeoutMs: 60_000 }, [id])).keys()]).toEqual([id]);
    await mariaDb.run('set global sql_mode = default');
  });

  it('keeps few statements prepared, however many users batches have', async () => {
    const source = createMysqlSource({ url: mariaDb.url, maxConnections: 1 }, guardedSockets());
    sources.push(source);
    const users = Array.from({ length: 300 }, (_, place) => `u${place}`);
    for (const place of users.keys())
      await source.attributes({ text: customers, timeoutMs: 60_000 }, users.slice(0, place + 1));
    const [status] = await mariaDb.query(`show global status like 'Prepared_stmt_count'`);
    expect(status).toMatchObject({ Variable_name: 'Prepared_stmt_count' });
    expect(Number(Object.values(status ?? {})[1])).toBeLessThanOrEqual(100);
  });
});
