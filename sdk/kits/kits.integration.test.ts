import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runMuster } from '../../cli/test-muster.ts';
import { testApiKey } from '../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../test/support/api-on-postgres.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../../test/support/postgres-database.ts';
import { kits, runUnitTests, startExample, type Kit, type RunningExample } from './kits.ts';
import { openTestPool } from '../../test/support/test-pool.ts';

const results = z.object({ results: z.array(z.object({ id: z.string(), status: z.string() })) });
const users = Array.from({ length: 20 }, (_, place) => `user-${place}`);
/** Compilers, and processes that start several times, take long on a busy machine. */
const patienceMs = 300_000;
const api = apiOnPostgres();
let database: TestDatabase;
let pool: pg.Pool;
const running = new Set<RunningExample>();

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  pool = openTestPool({ connectionString: database.url });
  // Gives the database defaults that differ from Muster's, as databases of other teams have.
  const name = new URL(database.url).pathname.slice(1);
  await pool.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
  await pool.query('create table points (run text, step int, user_id text, points int)');
});

afterEach(async () => {
  await Promise.all([...running].map((example) => example.kill()));
  running.clear();
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function start(kit: Kit, contractClass: string): Promise<RunningExample> {
  const example = await startExample(kit, contractClass, database.url);
  running.add(example);
  return example;
}

async function send(url: string, run: string, attempt: number): Promise<Record<string, string>> {
  const action = { type: 'credit', params: {} };
  const response = await fetch(`${url}/v1/batches`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': `key-of-${run}`,
      'muster-attempt': String(attempt),
      'muster-mode': 'live',
    },
    body: JSON.stringify({ campaign: 'cmp_1', run, step: 1, country: 'SG', batch: 1, action, users }),
  });
  return statuses(await response.json());
}

async function ask(url: string, run: string): Promise<Record<string, string>> {
  const response = await fetch(`${url}/v1/status`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ run, step: 1, users }),
  });
  return statuses(await response.json());
}

function statuses(answer: unknown): Record<string, string> {
  return Object.fromEntries(results.parse(answer).results.map(({ id, status }) => [id, status]));
}

const all = (status: string) => Object.fromEntries(users.map((user) => [user, status]));

async function effectsOf(run: string): Promise<number[]> {
  const { rows } = await pool.query<{ effects: number }>(
    'select count(*)::int as effects from points where run = $1 group by user_id',
    [run],
  );
  return rows.map(({ effects }) => effects);
}

/** Kills the example while its action waits for the table of its effects, within the transaction. */
async function killInTheMiddle(example: RunningExample, run: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin; lock table points in share row exclusive mode');
    const lost = expect(send(example.url, run, 1)).rejects.toThrow();
    const waiting = `select count(*)::int as waiting from pg_locks where relation = 'points'::regclass and not granted`;
    const countWaiting = async () => (await pool.query<{ waiting: number }>(waiting)).rows[0]?.waiting;
    await expect.poll(countWaiting).toBe(1);
    await example.kill();
    await lost;
    await client.query('rollback');
  } finally {
    client.release(true);
  }
}

/** Kills the example as soon as its effects are committed; its answer may have been sent. */
async function killAfterTheCommit(example: RunningExample, run: string): Promise<void> {
  const answer = send(example.url, run, 1).catch(() => undefined);
  await expect.poll(async () => (await effectsOf(run)).length, { interval: 1 }).toBe(users.length);
  await example.kill();
  await answer;
}

describe.each(kits)('the kit for $name', (kit) => {
  beforeAll(() => kit.prepare(), patienceMs);

  it(
    'passes its own tests, with test vectors shared by all languages and against the API of Muster',
    async () => {
      await api.ask('POST', '/v1/clients', { name: 'orders' });
      const terms = { databaseUrl: database.url, musterUrl: await api.start(), apiKey: testApiKey };
      const { passed, output } = await runUnitTests(kit, terms);
      expect(passed, output).toBe(true);
      expect(output).not.toMatch(/skipped=|SKIP:|Skipped: [1-9]/);
    },
    patienceMs,
  );

  it.each(['A', 'B', 'C', 'D'])(
    'keeps the contract of class %s',
    async (contractClass) => {
      const { url } = await start(kit, contractClass);
      const status = contractClass === 'C' ? ['--status-url', `${url}/v1/status`, '--applies-late-seconds', '1'] : [];
      const { code, out } = await runMuster(
        ['check-endpoint', `${url}/v1/batches`, '--class', contractClass, '--timeout-ms', '60000', ...status],
        { environment: {} },
      );
      expect(out).toContain(`keeps the contract of class ${contractClass}`);
      expect(code).toBe(0);
    },
    patienceMs,
  );

  it.each(['A', 'B'])(
    'serves each user once even if its process is killed (class %s)',
    async (contractClass) => {
      const [middle, committed] = [
        `run_${kit.name}_${contractClass}_middle`,
        `run_${kit.name}_${contractClass}_commit`,
      ];
      await killInTheMiddle(await start(kit, contractClass), middle);
      const second = await start(kit, contractClass);
      expect(await send(second.url, middle, 2)).toEqual(all('succeeded'));
      await killAfterTheCommit(second, committed);
      const third = await start(kit, contractClass);
      for (const run of [middle, committed]) {
        expect(await send(third.url, run, 3)).toEqual(all('succeeded'));
        expect(await effectsOf(run)).toEqual(users.map(() => 1));
      }
    },
    patienceMs,
  );

  it(
    'never reports a user as not found if a killed process may have served the user (class C)',
    async () => {
      const [middle, committed] = [`run_${kit.name}_C_middle`, `run_${kit.name}_C_commit`];
      await killInTheMiddle(await start(kit, 'C'), middle);
      const second = await start(kit, 'C');
      expect(await ask(second.url, middle)).toEqual(all('in-progress'));
      await killAfterTheCommit(second, committed);
      const third = await start(kit, 'C');
      expect(await ask(third.url, committed)).toEqual(all('succeeded'));
      expect(await effectsOf(committed)).toEqual(users.map(() => 1));
    },
    patienceMs,
  );
});
