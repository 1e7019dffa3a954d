import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startOwnPostgres, type OwnPostgres } from './support/own-postgres.ts';
import { cutAfterCommit } from './support/postgres-wire.ts';
import { startProxyBefore, type ProxyBefore } from './support/proxy-before.ts';
import { isFullScale } from './support/full-scale.ts';
import { patientCalls, startTrial, type Trial, type TrialOptions } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';
/** The sinks of both steps have no memory, so a repeated call would have a second effect although no worker died. */
const slowNaiveSinks = {
  SANDBOX_REWARDS_MEMORY: 'none',
  SANDBOX_MESSAGES_MEMORY: 'none',
  SANDBOX_REWARDS_LATENCY_MS: '100-300',
  SANDBOX_MESSAGES_LATENCY_MS: '100-300',
};

/** Leases last longer than the faults, so no claim expires, and a second call of a key would be an error. */
const longLeases = { WORKER_LEASE_MS: '60000', TRIGGER_FEED_LEASE_MS: '2000' };

let postgres: OwnPostgres;
let trial: Trial;
beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterEach(async () => {
  postgres.thaw();
  await trial.end();
});
afterAll(() => postgres.end());

async function begin(users: number, options: Partial<TrialOptions> = {}): Promise<string> {
  trial = await startTrial({
    workers: 2,
    servers: { databaseUrl: postgres.databaseUrl, kafkaBrokers: inject('kafkaBrokers') },
    sandbox: { ...slowNaiveSinks, SANDBOX_SEGMENTS: `${segment}=${users}` },
    engine: { ...longLeases, WORKER_CONCURRENCY: '20' },
    ...options,
  });
  return await trial.muster.api.run({
    name: 'On a broken database',
    countries: trial.muster.countries,
    segment,
    chain: rewardThenMessage,
  });
}

async function crashAndStart(): Promise<void> {
  const back = trial.injections.begin('Postgres crash', 'immediate');
  await postgres.crash();
  await postgres.start();
  back();
}

/** Lets commits wait for a standby that does not exist: they are durable, but no client gets the answer. */
async function holdCommits(on: boolean): Promise<void> {
  await trial.database.rows(
    on ? `alter system set synchronous_standby_names = 'nobody'` : 'alter system reset synchronous_standby_names',
  );
  await trial.database.rows('select pg_reload_conf()');
}

describe('row 16: a crash of Postgres', () => {
  it('leads to no call without a claim and no repeated key during claims (W2)', async () => {
    trial = await startTrial({
      workers: 2,
      servers: { databaseUrl: postgres.databaseUrl, kafkaBrokers: inject('kafkaBrokers') },
      sandbox: { ...slowNaiveSinks, SANDBOX_SEGMENTS: `${segment}=6000` },
      engine: patientCalls,
    });
    const lock = await trial.database.hold('lock table batch_steps in exclusive mode');
    const runId = await trial.muster.api.run({
      name: 'Claims',
      countries: trial.muster.countries,
      segment,
      chain: rewardThenMessage,
    });
    await lock.awaitWaiting('batch_steps');
    await crashAndStart();
    await lock.release();

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '16', scenario: 'crash in W2', segment })).toEqual([]);
  });

  it('keeps a committed record and leads to no second write during the commit of a record (W5)', async () => {
    const runId = await begin(10_000);
    await trial.awaitCalls(runId, 1, 20);
    await holdCommits(true);
    await until('a record waits in its commit', async () => {
      const waiting = `select 1 from pg_stat_activity where wait_event = 'SyncRep' and query ilike '%batch_steps%'`;
      return (await trial.database.count(waiting)) >= 1;
    });
    await crashAndStart();
    await until('commits go through again', () => holdCommits(false).then(() => true));

    // Claims that were committed in the same statement, but whose answer was lost, wait for the end of their lease.
    await trial.awaitEnd(runId, 150_000);
    expect(await trial.judge(runId, { rows: '16', scenario: 'crash in the commit of W5', segment })).toEqual([]);
  });

  it('does not affect the next campaign if no run was active during the crash', async () => {
    const first = await begin(2000);
    await trial.awaitEnd(first);
    await crashAndStart();
    const runId = await until('the api answers', () =>
      trial.muster.api.run({ name: 'After', countries: trial.muster.countries, segment, chain: rewardThenMessage }),
    );

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '16', scenario: 'crash while idle', segment })).toEqual([]);
  });
});

describe('row 17: lost connections to Postgres', () => {
  it('end no process and repeat no key after ordered restarts under load', async () => {
    const runId = await begin(20_000);
    for (const batches of [20, 80]) {
      await trial.awaitCalls(runId, 1, batches);
      const back = trial.injections.begin('Postgres restart', 'fast');
      await postgres.stopFast();
      await postgres.start();
      back();
    }

    await trial.awaitEnd(runId, 150_000);
    expect(await trial.judge(runId, { rows: '17', scenario: 'fast restart', segment })).toEqual([]);
  });

  it('end no process and repeat no key if every session is terminated each 1.5 s', async () => {
    const runId = await begin(20_000);
    const over = trial.injections.begin('sessions terminated', 'every 1.5 s');
    const terminator = setInterval(() => {
      const sql = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name <> 'faults'`;
      void trial.database.rows(sql).catch(() => undefined);
    }, 1500);
    try {
      await trial.awaitCalls(runId, 2, 150);
    } finally {
      clearInterval(terminator);
      over();
    }

    await trial.awaitEnd(runId, 150_000);
    expect(await trial.judge(runId, { rows: '17', scenario: 'sessions terminated', segment })).toEqual([]);
  });
});

const frozenSeconds = isFullScale ? 30 : 12;
const lockedSeconds = isFullScale ? 30 : 8;

describe('row 18: an unresponsive Postgres', () => {
  it(`lets time-outs fire and leases hold if frozen for ${frozenSeconds} s`, async () => {
    const runId = await begin(10_000);
    await trial.awaitCalls(runId, 1, 20);
    const thawed = trial.injections.begin('Postgres frozen', `${frozenSeconds} s`);
    postgres.freeze();
    await lasting(frozenSeconds * 1000);
    postgres.thaw();
    thawed();

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '18', scenario: `frozen ${frozenSeconds} s`, segment })).toEqual([]);
  });

  it.each(['batch_steps', 'run_totals', 'feeds'])(
    `lets the run continue after the table %s was locked for ${lockedSeconds} s`,
    async (table) => {
      const runId = await begin(10_000);
      await trial.awaitCalls(runId, 1, 20);
      const lock = await trial.database.hold(`lock table ${table} in access exclusive mode`);
      const released = trial.injections.begin('lock', table);
      await lasting(lockedSeconds * 1000);
      await lock.release();
      released();

      await trial.awaitEnd(runId);
      expect(await trial.judge(runId, { rows: '18', scenario: `${table} locked`, segment })).toEqual([]);
    },
  );
});

describe('row 19: a lost response to a commit', () => {
  let proxy: ProxyBefore | undefined;
  afterEach(() => proxy?.close());

  it.each([
    ['claims and records (W2, W5)', /insert into batch_steps/, 5, 6, 20_000],
    // A write contains up to a hundred batches, so this many users need at least nine writes.
    ['pages (T2)', /insert into batches/, 2, 3, 90_000],
  ])('is resolved by the committed rows, and no key is called twice: %s', async (what, pattern, every, lost, users) => {
    const cuts = cutAfterCommit((sql) => pattern.test(sql), every);
    const runId = await begin(users, {
      throughProxy: async (databaseUrl) => {
        proxy = await startProxyBefore(databaseUrl, cuts);
        return proxy.databaseUrl;
      },
      // Claims whose commit answer was lost wait for the end of their lease. The lease is short here, and no worker
      // holds these claims.
      engine: { WORKER_LEASE_MS: '8000', WORKER_CONCURRENCY: '20' },
    });
    const over = trial.injections.begin('commit answer lost', what);
    await until(`${lost} answers are lost`, () => cuts.cuts() >= lost);
    proxy?.inspect({});
    over();

    await trial.awaitEnd(runId, 150_000);
    const measured = { 'answers lost': cuts.cuts() };
    expect(await trial.judge(runId, { rows: '19', scenario: `answers lost of ${what}`, segment, measured })).toEqual(
      [],
    );
  });
});
