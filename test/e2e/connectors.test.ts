import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConnectorsProcess, type ConnectorsProcess } from '../support/connectors-process.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { startInstallation, type Installation } from './installation.ts';

const customers = 20_000;
/** The shop does not credit every fiftieth customer. */
const blockedOf = (some: number) => some / 50;
const killEveryMs = 1500;
/** Each kill opens the breaker of an endpoint for some seconds. */
const killed = 4;

const connectorsFile = {
  databases: { shop: { urlEnv: 'SHOP_URL', maxConnections: 20 } },
  segments: {
    active: { name: 'Active', database: 'shop', query: 'select id as user_id, country from customers where is_active' },
  },
  actions: {
    'award-points': {
      database: 'shop',
      // Slow enough that several batches are under way whenever the process is killed.
      statements: [
        'select pg_sleep(0.3)',
        `insert into points (run, user_id, points)
         select :run, c.id, (:params->>'points')::int from customers c where c.id = any(:users) and not c.is_blocked
         returning user_id`,
      ],
      failureCode: 'blocked',
    },
  },
};

let shop: TestDatabase;
let store: TestDatabase;
let client: pg.Client;
let connectors: ConnectorsProcess;
let muster: Installation | undefined;

beforeEach(async () => {
  [shop, store] = await Promise.all([createEmptyTestDatabase(), createEmptyTestDatabase()]);
  client = new pg.Client({ connectionString: shop.url });
  await client.connect();
  await client.query(`
    create table customers (id text primary key, country text, is_active bool, is_blocked bool);
    insert into customers
      select 'c' || i, case when i % 3 = 0 then 'VN' else 'SG' end, i < ${customers}, i % 50 = 0
      from generate_series(0, ${customers + 999}) i;
    create table points (run text, user_id text, points int);
    create table muster_results (
      run text, step int, user_id text collate "C", code text, primary key (run, step, user_id));
  `);
  connectors = await createConnectorsProcess({
    storeUrl: store.url,
    file: connectorsFile,
    environment: { SHOP_URL: shop.url },
  });
  await connectors.start();
});

afterEach(async () => {
  await muster?.stop();
  await connectors.close();
  await client.end();
  await Promise.all([shop.drop(), store.drop()]);
});

describe('a campaign on connectors that are killed again and again', () => {
  it('selects each customer once, credits each once, and adds up with the shop', async () => {
    const { url } = connectors;
    muster = await startInstallation({
      workers: 1,
      sandbox: {},
      countries: ['SG', 'VN'],
      configure: ({ segmentation, actionTypes, ...config }) => ({
        ...config,
        segmentation: { ...segmentation, url },
        actionTypes: {
          'award-points': {
            url: `${url}/v1/actions/award-points/batches`,
            class: 'A',
            answerForm: 'full',
            timeoutMs: actionTypes['award-points']?.timeoutMs ?? 10_000,
          },
        },
      }),
    });
    const chain = [{ action: 'award-points', params: { points: 5 } }];
    const runId = await muster.api.run({ name: 'By SQL', countries: ['SG', 'VN'], segment: 'active', chain });

    let kills = 0;
    let last = { atMs: performance.now(), done: 0 };
    let killing = Promise.resolve();
    const killAndStart = async () => {
      connectors.signal('SIGKILL');
      await connectors.exited();
      await connectors.start();
    };
    const { state, steps } = await muster.api.awaitEnd(runId, (progress) => {
      const done = progress.steps.reduce((sum, { succeeded }) => sum + succeeded, 0);
      if (progress.state !== 'running' || done === last.done || kills === killed) return;
      if (performance.now() - last.atMs < killEveryMs) return;
      last = { atMs: performance.now(), done };
      kills++;
      killing = killing.then(killAndStart);
    });
    await killing;

    const { rows } = await client.query<{ times: number; users: number }>(
      'select count(*)::int as times, count(distinct user_id)::int as users from points where run = $1',
      [runId],
    );
    const credited = customers - blockedOf(customers);
    expect(state).toBe('completed_with_failures');
    const blocked = blockedOf(customers);
    expect(steps).toMatchObject([
      { audience: customers, succeeded: credited, failed: blocked, unknown: 0, pending: 0 },
    ]);
    expect(rows).toEqual([{ times: credited, users: credited }]);
    expect(kills).toBe(killed);
  });
});
