import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runMuster } from '../../cli/test-muster.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { startMariaDb, type MariaDb } from '../support/mariadb.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { queryDatabase } from '../support/query-database.ts';
import { startConnectors, type RunningConnectors } from '../support/running-connectors.ts';
import { sendBatch } from '../support/send-batch.ts';

let store: TestDatabase;
let shop: TestDatabase;
let mariaDb: MariaDb;
let connectors: RunningConnectors[] = [];

beforeAll(async () => {
  [store, shop, mariaDb] = await Promise.all([createEmptyTestDatabase(), createEmptyTestDatabase(), startMariaDb()]);
  await queryShop(
    `create table muster_results (
       run text, step int, user_id text collate "C", code text, primary key (run, step, user_id))`,
  );
  await queryShop(
    'create table points (run text not null, user_id text not null, points int not null check (points < 1000))',
  );
  await mariaDb.run(
    `create table muster_results (run varchar(100) not null, step int not null, user_id varbinary(256) not null,
       claim char(36) not null, code varchar(64), primary key (run, step, user_id))`,
    `create table points (run varchar(100) not null, user_id varbinary(256) not null, points int not null check (points < 1000))`,
  );
});

afterEach(async () => {
  for (const each of connectors) await each.stop();
  connectors = [];
});

afterAll(async () => {
  await Promise.all([store.drop(), shop.drop(), mariaDb.end()]);
});

const queryShop = (statement: string) => queryDatabase(shop.url, statement);

const effects = z.array(z.object({ user_id: z.coerce.string(), times: z.coerce.number() }));
const answered = z.object({
  results: z.array(z.object({ id: z.string(), status: z.string(), code: z.string().optional() })),
});

const refusal = z.object({ code: z.string(), message: z.string() });

let calls = 0;

interface Call {
  users: readonly string[];
  run: string;
  params?: object;
  mode?: 'live' | 'test';
  key?: string;
}

function call(url: string, { users, run, params = { points: 5 }, mode = 'live', key = `key-${++calls}` }: Call) {
  return sendBatch({ url, action: { type: 'award', params }, run, users, key, mode });
}

const kinds = [
  {
    kind: 'Postgres',
    shopUrl: () => shop.url,
    query: queryShop,
    award: [
      `insert into points (run, user_id, points)
       select :run, u, (:params->>'points')::int from unnest(:users) u where u not like 'unknown%' returning user_id`,
    ],
    refusedCode: 'sql-23514',
    slow: 'select pg_sleep(60)',
    limit: 'statement timeout',
  },
  {
    kind: 'MariaDB',
    shopUrl: () => mariaDb.url,
    query: (statement: string) => mariaDb.query(statement),
    award: [
      `insert into points (run, user_id, points)
       select run, user_id, json_value(:params, '$.points') from muster_results
       where run = :run and step = :step and user_id in (:users) and user_id not like 'unknown%'`,
      'select user_id from points where run = :run and user_id in (:users)',
    ],
    refusedCode: 'sql-23000',
    slow: 'select 1 from (select sleep(60)) s',
    limit: 'max_statement_time',
  },
];

describe.each(kinds)('an action by SQL in $kind', ({ kind, shopUrl, query, award, refusedCode, slow, limit }) => {
  async function start(statements: readonly string[], url = shopUrl(), environment = {}): Promise<string> {
    const actions = { award: { statements, failureCode: 'no-such-customer', timeoutSeconds: 2 } };
    const terms = { storeUrl: store.url, shopUrl: url, environment };
    const running = await startConnectors({ ...terms, segments: {}, actions });
    connectors.push(running);
    return `${running.url}/v1/actions/award/batches`;
  }

  async function effectsOf(run: string) {
    return effects.parse(
      await query(
        `select user_id, count(*) as times from points where run = '${run}' group by user_id order by user_id`,
      ),
    );
  }

  it('keeps all promises of class A, with one effect for each user', async () => {
    const url = await start(award);
    const { code, out } = await runMuster(['check-endpoint', url, '--class', 'A', '--params', '{"points":5}'], {
      environment: {},
    });
    expect(out).toContain('keeps the contract of class A, as far as it was played\n');
    expect(code).toBe(0);
    const several = await query('select run, user_id from points group by run, user_id having count(*) > 1');
    expect(several).toEqual([]);
  });

  it('refuses calls that are not signed, if it has a secret', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const url = await start(award, shopUrl(), { CONNECTORS_SIGNING_SECRET: secret });
    expect(await call(url, { users: ['u1'], run: `${kind}-unsigned` })).toMatchObject({
      status: 401,
      body: { code: 'bad-signature' },
    });
    const file = join(mkdtempSync(join(tmpdir(), 'muster-signing-')), 'secret');
    writeFileSync(file, secret);
    const args = ['check-endpoint', url, '--class', 'A', '--params', '{"points":5}', '--signing-secret-file', file];
    const { code, out } = await runMuster(args, { environment: {} });
    expect(out).toContain('keeps the contract of class A, as far as it was played\n');
    expect(code).toBe(0);
    rmSync(dirname(file), { recursive: true });
  });

  it('serves each user once if a key comes again with another body, and serves its other users', async () => {
    const url = await start(award);
    const run = `${kind}-other-body`;
    const send = (users: string[], points: number) => call(url, { users, run, key: run, params: { points } });
    await send(['u1', 'unknown-1'], 5);
    expect(answered.parse((await send(['unknown-1', 'u2', 'u1'], 7)).body).results).toEqual([
      { id: 'unknown-1', status: 'failed', code: 'no-such-customer' },
      { id: 'u2', status: 'succeeded' },
      { id: 'u1', status: 'succeeded' },
    ]);
    expect(await query(`select user_id, points from points where run = '${run}' order by user_id`)).toMatchObject([
      { points: 5 },
      { points: 7 },
    ]);
  });

  it('fails users that the last statement does not return', async () => {
    const url = await start(award);
    const users = ['u1', 'unknown-2', "o'neill\\ 🎟️ ", 'u3'];
    const { status, body } = await call(url, { users, run: `${kind}-fails` });
    expect(status).toBe(200);
    expect(answered.parse(body).results).toEqual(
      users.map((id) =>
        id === 'unknown-2' ? { id, status: 'failed', code: 'no-such-customer' } : { id, status: 'succeeded' },
      ),
    );
    const again = await call(url, { users: ['unknown-2', 'u4', 'u1'], run: `${kind}-fails` });
    expect(answered.parse(again.body).results.map((result) => result.code)).toEqual([
      'no-such-customer',
      undefined,
      undefined,
    ]);
    expect((await effectsOf(`${kind}-fails`)).map(({ times }) => times)).toEqual([1, 1, 1, 1]);
  });

  it('refuses the batch if the database refuses a value, and applies nothing', async () => {
    const url = await start(award);
    const run = `${kind}-refused`;
    expect(await call(url, { users: ['u1'], run, params: { points: 5000 } })).toMatchObject({
      status: 422,
      body: { code: refusedCode },
    });
    expect(await effectsOf(run)).toEqual([]);
    expect((await call(url, { users: ['u1'], run })).status).toBe(200);
  });

  it('applies nothing if a statement takes longer than its limit, and the batch is repeated', async () => {
    const run = `${kind}-slow`;
    const slowUrl = await start([award[0] ?? '', slow, ...award.slice(1)]);
    const { status, headers, body } = await call(slowUrl, { users: ['u1'], run });
    const { code, message } = refusal.parse(body);
    expect({ status, code, retryAfter: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 'not-applied',
      retryAfter: '1',
    });
    expect(message).toContain('actions.award: database "shop": ');
    expect(message).toContain(limit);
    expect(await effectsOf(run)).toEqual([]);
    expect((await call(await start(award), { users: ['u1'], run })).status).toBe(200);
    expect(await effectsOf(run)).toEqual([{ user_id: 'u1', times: 1 }]);
  });

  it('gives nothing in a test, and answers as if live', async () => {
    const url = await start(award);
    const run = `${kind}-test`;
    const users = ['u1', 'unknown-1'];
    const tested = await call(url, { users, run, mode: 'test' });
    expect(await effectsOf(run)).toEqual([]);
    const live = await call(url, { users, run });
    expect(tested.body).toEqual(live.body);
    expect(await effectsOf(run)).toEqual([{ user_id: 'u1', times: 1 }]);
  });

  it.each([
    ['of a table that does not exist', ['select user_id from nowhere where user_id in (:key)']],
    ['that return no user_id', ['select :key as id']],
  ])('holds the step for statements %s', async (_, statements) => {
    const url = await start(statements);
    const { status, body } = await call(url, { users: ['u1'], run: `${kind}-misconfigured` });
    expect({ status, ...refusal.parse(body) }).toMatchObject({ status: 501, code: 'misconfigured' });
    expect(refusal.parse(body).message).toContain('actions.award: database "shop": ');
  });

  it('has one effect for each user, whichever statement a cut of the connection interrupts', async () => {
    const address = new URL(shopUrl());
    const proxy = await startCuttingProxy({ host: address.hostname, port: Number(address.port) });
    address.port = String(proxy.port);
    const url = await start(award, address.href);
    const statuses = new Set<number>();
    try {
      for (const isSent of [true, false]) {
        for (let packet = 1, isCut = true; isCut; packet++) {
          const run = `${kind}-cut-${packet}-${isSent}`;
          const users = Array.from({ length: 20 }, (_, i) => `${i % 5 === 0 ? 'unknown' : 'u'}${i}`);
          proxy.cutAt(packet, isSent);
          const first = await call(url, { users, run, key: run });
          isCut = proxy.hasCut();
          statuses.add(first.status);
          proxy.cutAt(Infinity, false);
          const second = await call(url, { users, run, key: run });
          expect(second.status).toBe(200);
          if (first.status === 200) expect(second.body).toEqual(first.body);
          const found = await effectsOf(run);
          expect(found.map(({ user_id }) => user_id)).toEqual(
            users.filter((user) => !user.startsWith('unknown')).toSorted(),
          );
          expect(new Set(found.map(({ times }) => times))).toEqual(new Set([1]));
        }
      }
    } finally {
      proxy.close();
    }
    // 503 before the commit (not applied), 500 at the commit (unknown), and 200 without a cut.
    expect(statuses).toEqual(new Set([503, 500, 200]));
  });
});
