import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { z } from 'zod';
import { createEmptyTestDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Decide, Effects, EffectStore } from './effects.ts';
import { createRewardsInPostgres, type RewardsInPostgresDeps } from './rewards-in-postgres.ts';
import { openTestPool } from '../../../test/support/test-pool.ts';

const users = Array.from({ length: 100 }, (_, i) => `sg-${i} "odd" \\ ${i % 2 ? '🎟️' : ','}`);
const nobodyFails: Decide = () => undefined;
const firstIsOut: Decide = (user) =>
  user === users[0] ? { id: user, code: 'out-of-stock', retryable: false } : undefined;

let database: TestDatabase;
let rows: pg.Pool;
let rewards: EffectStore;

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  rows = openTestPool({ connectionString: database.url });
});

afterAll(async () => {
  await rows.end();
  await database.drop();
});

function openWith(queries: RewardsInPostgresDeps['queries']): Promise<EffectStore> {
  return createRewardsInPostgres({ connectionString: database.url, queries, logger: pino({ level: 'silent' }) });
}

function requestOf(over: Partial<BatchRequest['call']> = {}): BatchRequest {
  const action = { type: 'award-reward', params: { rewardId: 'ride-5', units: 2 } };
  const call = { campaign: 'cmp_1', run: 'run_1', step: 1, country: 'SG', batch: 1, action, users, ...over };
  return { key: 'key-1', attempt: 1, mode: 'live', call, body: Buffer.from(JSON.stringify(call)) };
}

async function apply(request: BatchRequest, decide: Decide, store = rewards): Promise<Effects> {
  const answer = await store.apply(request, decide);
  if (!answer.ok) throw new Error(`refused: ${answer.refusal.code}`);
  return answer.effects;
}

const totals = z.object({ results: z.number(), events: z.number(), users: z.number(), units: z.number() });

async function stored() {
  const { rows: found } = await rows.query(`
    select (select count(*)::int from sandbox.reward_results) results,
      (select count(*)::int from sandbox.reward_events) events,
      (select count(*)::int from sandbox.reward_balances) users,
      (select coalesce(sum(units), 0)::int from sandbox.reward_balances) units`);
  return totals.parse(found[0]);
}

const variants: RewardsInPostgresDeps['queries'][] = ['per-batch', 'per-user'];

describe.each(variants)('rewards in Postgres, queries %s', (queries) => {
  const open = () => openWith(queries);

  beforeEach(async () => {
    rewards = await open();
  });

  afterEach(async () => {
    await rewards.close();
    await rows.query('truncate sandbox.reward_results, sandbox.reward_balances, sandbox.reward_events');
  });

  test('store results, balances and events of a batch', async () => {
    const effects = await apply(requestOf(), firstIsOut);

    expect(effects.applied).toEqual(users.slice(1));
    expect(effects.failedNow).toEqual([users[0]]);
    expect(await stored()).toEqual({ results: 100, events: 99, users: 99, units: 198 });
  });

  test('return the first final result of every user for a repeated batch', async () => {
    const first = await apply(requestOf(), firstIsOut);
    const repeat = await apply(requestOf(), nobodyFails);

    expect(repeat).toEqual({ failures: first.failures, applied: [], failedNow: [], repeated: 100 });
    expect(await stored()).toMatchObject({ events: 99, units: 198 });
  });

  test('return the same result with one effect if a batch is repeated after a crash between commit and answer', async () => {
    const crashed = await open();
    const lost = await apply(requestOf(), firstIsOut, crashed);
    await crashed.close();

    const repeat = await apply(requestOf(), firstIsOut);

    expect(repeat.failures).toEqual(lost.failures);
    expect(repeat.applied).toEqual([]);
    expect(await stored()).toEqual({ results: 100, events: 99, users: 99, units: 198 });
  });

  test('apply a batch once if it is sent eight times concurrently, with eight equal answers', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => apply(requestOf(), firstIsOut)));

    expect(answers.flatMap(({ applied }) => applied).toSorted()).toEqual(users.slice(1).toSorted());
    expect(new Set(answers.map(({ failures }) => JSON.stringify(failures))).size).toBe(1);
    expect(await stored()).toMatchObject({ events: 99, units: 198 });
  });

  test('serve concurrent calls with overlapping users in another order without a deadlock', async () => {
    const calls = Array.from({ length: 8 }, (_, i) =>
      requestOf({ users: i % 2 ? users : users.toReversed(), step: 1 }),
    );
    const answers = await Promise.all(calls.map((request) => apply(request, nobodyFails)));
    expect(answers.flatMap(({ applied }) => applied)).toHaveLength(100);
  });

  test('store nothing for a retryable user until the user is served', async () => {
    const again: Decide = (user) => (user === users[3] ? { id: user, code: 'try-later', retryable: true } : undefined);
    const first = await apply(requestOf(), again);
    const second = await apply(requestOf({ users: users.slice(3, 4) }), nobodyFails);

    expect(first.failures).toMatchObject([{ id: users[3], retryable: true }]);
    expect(second).toEqual({ failures: [], applied: users.slice(3, 4), failedNow: [], repeated: 0 });
    expect(await stored()).toEqual({ results: 100, events: 100, users: 100, units: 200 });
  });

  test('add the units of another run to the balances of the same users', async () => {
    await apply(requestOf(), nobodyFails);
    await apply(requestOf({ run: 'run_2' }), nobodyFails);
    expect(await stored()).toEqual({ results: 200, events: 200, users: 100, units: 400 });
  });

  test('can be opened concurrently on an empty database', async () => {
    await rows.query('drop schema sandbox cascade');
    const stores = await Promise.all([open(), open(), open()]);
    await Promise.all(stores.map((store) => store.close()));
    expect(await stored()).toMatchObject({ results: 0 });
  });
});
