import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPace } from '../../services/connectors/store/postgres/pace.ts';
import { prepareStore } from '../../services/connectors/store/postgres/prepare-store.ts';
import { createResultStore } from '../../services/connectors/store/postgres/result-store.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { openTestPool } from '../support/test-pool.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  await prepareStore(database.url);
  pool = openTestPool({ connectionString: database.url, max: 4 });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const once = { leaseMs: 60_000, keepSeconds: 3600, isRepeatable: false };
const repeatable = { ...once, isRepeatable: true };
const lost = { leaseMs: -1 };

let runs = 0;

function start() {
  return { store: createResultStore(pool), scope: { action: 'notify', run: `run_${++runs}`, step: 1 } };
}

describe('results of calls by user', () => {
  it('are each claimed by only one of several concurrent calls', async () => {
    const { store, scope } = start();
    const users = Array.from({ length: 200 }, (_, i) => `u${i}`);
    const claims = await Promise.all(
      [users, users.toReversed(), users].map((each) => store.claim(scope, each, repeatable)),
    );
    expect(claims.flatMap((claim) => [...claim.users.keys()]).toSorted()).toEqual(users.toSorted());
    expect([...(await store.read(scope, users)).values()].every(({ state }) => state === 'begun')).toBe(true);
  });

  it('are kept by action, run, step and user', async () => {
    const { store, scope } = start();
    const claim = await store.claim(scope, ['u1', 'u2'], once);
    await store.finish(
      claim,
      new Map([
        ['u1', { state: 'succeeded' as const }],
        ['u2', { state: 'failed' as const, code: 'no-address' }],
      ]),
    );
    expect(await store.read(scope, ['u1', 'u2', 'u3'])).toEqual(
      new Map([
        ['u1', { state: 'succeeded' }],
        ['u2', { state: 'failed', code: 'no-address' }],
      ]),
    );
    for (const other of [{ action: 'other' }, { run: 'other' }, { step: 2 }])
      expect(await store.read({ ...scope, ...other }, ['u1'])).toEqual(new Map());
    expect((await store.claim(scope, ['u1', 'u2', 'u3'], repeatable)).users).toEqual(new Map([['u3', false]]));
  });

  it('are unknown once the lease has expired, and their users are called again only if repeats are recognized', async () => {
    const { store, scope } = start();
    const first = await store.claim(scope, ['u1'], { ...once, ...lost });
    expect(await store.read(scope, ['u1'])).toEqual(new Map([['u1', { state: 'unknown' }]]));
    expect((await store.claim(scope, ['u1'], once)).users).toEqual(new Map());
    const second = await store.claim(scope, ['u1'], repeatable);
    expect(second.users).toEqual(new Map([['u1', true]]));
    await store.finish(first, new Map([['u1', { state: 'failed' as const, code: 'late' }]]));
    expect(await store.read(scope, ['u1'])).toEqual(new Map([['u1', { state: 'begun' }]]));
  });

  it('accept the answer of a call that ends after its lease', async () => {
    const { store, scope } = start();
    const claim = await store.claim(scope, ['u1'], { ...once, ...lost });
    await store.finish(claim, new Map([['u1', { state: 'succeeded' as const }]]));
    expect(await store.read(scope, ['u1'])).toEqual(new Map([['u1', { state: 'succeeded' }]]));
  });

  it('are free again after a call that applied nothing, and unknown if an earlier call was lost', async () => {
    const { store, scope } = start();
    await store.claim(scope, ['u2'], { ...once, ...lost });
    const claim = await store.claim(scope, ['u1', 'u2'], repeatable);
    await store.release(claim, ['u1', 'u2']);
    expect(await store.read(scope, ['u1', 'u2'])).toEqual(new Map([['u2', { state: 'unknown' }]]));
  });

  it('are deleted after their time', async () => {
    const { store, scope } = start();
    await store.claim(scope, ['u1'], { ...once, keepSeconds: -1 });
    await store.claim(scope, ['u2'], once);
    expect(await store.sweep()).toBe(1);
    expect([...(await store.read(scope, ['u1', 'u2'])).keys()]).toEqual(['u2']);
  });
});

describe('the pace of calls', () => {
  it('grants calls one after the other over all instances', async () => {
    const [one, two] = [createPace(pool), createPace(pool)];
    const terms = { calls: 10, perSecond: 1, maxWaitMs: 60_000 };
    expect(await one.take('by-rate', terms)).toMatchObject({ isGranted: true, waitMs: 0 });
    const second = await two.take('by-rate', terms);
    expect(second.isGranted).toBe(true);
    expect(second.waitMs).toBeGreaterThan(8000);
    const third = await one.take('by-rate', { ...terms, maxWaitMs: 15_000 });
    expect(third.isGranted).toBe(false);
    expect(third.waitMs).toBeGreaterThan(17_000);
  });

  it('grants no call while it is paused', async () => {
    const pace = createPace(pool);
    const terms = { calls: 1, perSecond: undefined, maxWaitMs: 1000 };
    expect(await pace.take('paused', terms)).toEqual({ isGranted: true, waitMs: 0 });
    await pace.pause('paused', 60_000);
    await pace.pause('paused', 1000);
    const { isGranted, waitMs } = await pace.take('paused', terms);
    expect(isGranted).toBe(false);
    expect(waitMs).toBeGreaterThan(50_000);
    expect(await pace.take('other', terms)).toEqual({ isGranted: true, waitMs: 0 });
  });
});
