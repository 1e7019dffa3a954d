import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callBatch } from '../support/batch-calls.ts';
import { createConnectorsProcess, type ConnectorsProcess } from '../support/connectors-process.ts';
import { startMariaDb, type MariaDb } from '../support/mariadb.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { queryDatabase } from '../support/query-database.ts';

let store: TestDatabase;
let shop: TestDatabase;
let mariaDb: MariaDb;
let processes: ConnectorsProcess[] = [];

beforeAll(async () => {
  [store, shop, mariaDb] = await Promise.all([createEmptyTestDatabase(), createEmptyTestDatabase(), startMariaDb()]);
  await queryShop('create table points (user_id text)');
  await queryShop(
    'create table muster_results (run text, step int, user_id text, code text, primary key (run, step, user_id))',
  );
  await mariaDb.run(
    'create table points (user_id varchar(100))',
    `create table muster_results (run varchar(100) not null, step int not null, user_id varbinary(256) not null,
       claim char(36) not null, code varchar(64), primary key (run, step, user_id))`,
  );
});

afterEach(async () => {
  for (const each of processes) await each.close();
  processes = [];
});

afterAll(async () => {
  await Promise.all([store.drop(), shop.drop(), mariaDb.end()]);
});

const queryShop = (statement: string) => queryDatabase(shop.url, statement);

async function start(url: string, statements: readonly string[]): Promise<ConnectorsProcess> {
  const actions = { award: { database: 'shop', statements, timeoutSeconds: 5 } };
  const connectors = await createConnectorsProcess({
    storeUrl: store.url,
    file: { databases: { shop: { urlEnv: 'SHOP_URL' } }, segments: {}, actions },
    environment: { SHOP_URL: url },
  });
  processes.push(connectors);
  await connectors.start();
  return connectors;
}

const users = ['u1', 'u2'];

describe.each([
  {
    kind: 'Postgres',
    shopUrl: () => shop.url,
    query: queryShop,
    award: ['insert into points select unnest(:users) returning user_id'],
    slow: 'select pg_sleep(4)',
    sleepers: `select from pg_stat_activity where datname = current_database() and query like '%pg_sleep(4)%' and state = 'active' and pid <> pg_backend_pid()`,
  },
  {
    kind: 'MariaDB',
    shopUrl: () => mariaDb.url,
    query: (statement: string) => mariaDb.query(statement),
    award: [
      'insert into points select user_id from muster_results where run = :run and user_id in (:users)',
      'select user_id from points where user_id in (:users)',
    ],
    slow: 'select sleep(4)',
    sleepers: `select id from information_schema.processlist where info like '%sleep(4)%' and id <> connection_id()`,
  },
])('an action by SQL in $kind', ({ kind, shopUrl, query, award, slow, sleepers }) => {
  it('serves once the users of a process that was suspended in its transaction', async () => {
    const [frozen, other] = [await start(shopUrl(), [slow, ...award]), await start(shopUrl(), award)];
    const urlOf = ({ url }: ConnectorsProcess) => `${url}/v1/actions/award/batches`;
    const run = `frozen-${kind}`;
    const first = callBatch(urlOf(frozen), { users, run, key: run });
    await expect.poll(async () => (await query(sleepers)).length).toBe(1);
    frozen.signal('SIGSTOP');

    await expect
      .poll(async () => (await callBatch(urlOf(other), { users, run, key: run, attempt: 2 })).outcomes, {
        timeout: 40_000,
      })
      .toEqual({ u1: 'ok', u2: 'ok' });
    frozen.signal('SIGCONT');
    expect(await first).toMatchObject({ status: 503, code: 'not-applied' });
    expect(await query('select user_id from points order by user_id')).toEqual([{ user_id: 'u1' }, { user_id: 'u2' }]);
  });
});
