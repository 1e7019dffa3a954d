import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createEmptyTestDatabase, type TestDatabase } from '../../support/postgres-database.ts';
import { cutAfterCommit, delayAnswers, timeAnswers } from './postgres-wire.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

/** The harness itself is tested, because a fault that has no effect would prove nothing. */
describe('an inspected connection to Postgres', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  const connect = async () => {
    const url = new URL(database.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };

  beforeAll(async () => {
    database = await createEmptyTestDatabase(inject('databaseUrl'));
    const { hostname, port } = new URL(database.url);
    proxy = await startTcpProxy({ host: hostname, port: Number(port) });
    const client = await connect();
    await client.query('create table things (id int primary key)');
    await client.end();
  });
  afterAll(async () => {
    await proxy.close();
    await database.drop();
  });

  const stored = async (id: number) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rowCount } = await client.query('select from things where id = $1', [id]);
    await client.end();
    return rowCount;
  };

  it.each([
    [
      'prepared',
      (client: pg.Client) => client.query({ name: 'thing', text: 'insert into things values ($1)', values: [1] }),
    ],
    ['unnamed', (client: pg.Client) => client.query('insert into things values ($1)', [2])],
    ['simple', (client: pg.Client) => client.query('insert into things values (3)')],
  ])('executes a %s statement and loses its response', async (kind, insert) => {
    const cuts = cutAfterCommit((sql) => sql.includes('insert into things'), 1);
    proxy.inspect(cuts);
    const client = await connect();
    await expect(client.query('select 1')).resolves.toBeDefined();
    await expect(insert(client)).rejects.toThrow();
    expect(cuts.cuts()).toBe(1);
    const id = { prepared: 1, unnamed: 2, simple: 3 }[kind];
    expect(await stored(id ?? 0)).toBe(1);
  });

  it('loses the response to the commit of a transaction, not an earlier one', async () => {
    const cuts = cutAfterCommit((sql) => sql.includes('insert into things'), 1);
    proxy.inspect(cuts);
    const client = await connect();
    await client.query('begin');
    await client.query('insert into things values (4)');
    await expect(client.query('commit')).rejects.toThrow();
    expect(await stored(4)).toBe(1);
  });

  it('delays matching responses without changing their result, and no later ones', async () => {
    let delayMs = 300;
    const reads = delayAnswers(
      (sql) => sql.includes('count(*)'),
      () => delayMs,
    );
    proxy.inspect(reads);
    const client = await connect();
    await client.query('delete from things');
    const sinceMs = performance.now();
    const read = client.query<{ count: string }>('select count(*) from things');
    await until('it is on its way', () => reads.sent() === 1);
    const other = await connect();
    await other.query('insert into things values (5)');
    expect((await read).rows).toEqual([{ count: '0' }]);
    expect(performance.now() - sinceMs).toBeGreaterThanOrEqual(delayMs);
    delayMs = 0;
    expect((await client.query<{ count: string }>('select count(*) from things')).rows).toEqual([{ count: '1' }]);
    expect(reads.delayed()).toBe(1);
    await Promise.all([client.end(), other.end()]);
  });

  it('measures a matching statement until the connection is idle, a transaction until its end', async () => {
    const times = timeAnswers((sql) => sql.includes('insert into things'));
    proxy.inspect(times);
    const client = await connect();
    await client.query('select 1');
    await client.query('begin');
    await client.query('insert into things values (6)');
    expect(times.takeNew()).toEqual([]);
    await client.query('select pg_sleep(0.2)');
    await client.query('commit');
    const [tookMs = 0, ...others] = times.takeNew();
    expect(tookMs).toBeGreaterThanOrEqual(200);
    expect(others).toEqual([]);
    await client.end();
  });
});
