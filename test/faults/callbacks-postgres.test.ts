import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { startCallbackTrial, type CallbackTrial, type CallbackTrialOptions } from './support/callback-trial.ts';
import { startOwnPostgres, type OwnPostgres } from './support/own-postgres.ts';
import { cutAfterCommit } from './support/postgres-wire.ts';
import { startProxyBefore, type ProxyBefore } from './support/proxy-before.ts';
import { lasting, until } from './support/until.ts';

/** Leases last longer than the faults, so no claim expires, and a second call of a job would be an error. */
const longLeases = { DISPATCHER_LEASE_MS: '25000' };
const slow = { slow: { latencyMs: 200 } };

let postgres: OwnPostgres;
let trial: CallbackTrial;
beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterEach(async () => {
  postgres.thaw();
  // Otherwise no transaction could commit any more, not even while the database is dropped.
  await holdCommits(false);
  await trial.end();
});
afterAll(() => postgres.end());

async function begin(options: CallbackTrialOptions = {}): Promise<void> {
  trial = await startCallbackTrial({
    servers: { databaseUrl: postgres.databaseUrl, kafkaBrokers: inject('kafkaBrokers') },
    engine: longLeases,
    ...options,
  });
  await trial.receiver.behave(slow);
}

const load = { count: 3000, path: 'slow', dueInMs: 500, spreadMs: 12_000 };

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

async function verdictOn(rows: string, scenario: string, measured?: Record<string, number>): Promise<string[]> {
  await trial.awaitEnded(120_000);
  return await trial.judgeCallbacks({ rows, scenario: `${scenario}, callbacks`, ...(measured && { measured }) });
}

describe('row 16: a crash of Postgres while jobs are called', () => {
  it('leads to no call without a claim and no repeated job during a claim', async () => {
    await begin();
    const lock = await trial.database.hold('lock table job_claims in exclusive mode');
    await trial.schedule({ count: 1000, path: 'slow' });
    await lock.awaitWaiting('job_claims');
    await crashAndStart();
    await lock.release();

    expect(await verdictOn('16', 'crash in a claim')).toEqual([]);
  });

  it('keeps results, delays claims by their lease and repeats no job during a commit of results and claims', async () => {
    await begin();
    await trial.schedule(load);
    await trial.awaitCalls(100);
    await holdCommits(true);
    await until('a flush waits in its commit', async () => {
      const waiting = `select 1 from pg_stat_activity
        where wait_event = 'SyncRep' and query ilike '%delete from job_claims f using%'`;
      return (await trial.database.count(waiting)) >= 1;
    });
    await crashAndStart();
    await until('commits go through again', () => holdCommits(false).then(() => true));

    expect(await verdictOn('16', 'crash in a commit')).toEqual([]);
  });

  it('does not affect jobs accepted afterwards if no job was due during the crash', async () => {
    await begin();
    await trial.schedule({ count: 100 });
    await trial.awaitEnded();
    await crashAndStart();
    await trial.schedule({ count: 500 });

    expect(await verdictOn('16', 'crash while idle')).toEqual([]);
  });
});

describe('row 17: lost connections to Postgres while jobs are called', () => {
  it('end no process and repeat no job after two ordered restarts', async () => {
    await begin();
    await trial.schedule(load);
    for (const calls of [200, 1200]) {
      await trial.awaitCalls(calls);
      const back = trial.injections.begin('Postgres restart', 'fast');
      await postgres.stopFast();
      await postgres.start();
      back();
    }

    expect(await verdictOn('17', 'fast restart')).toEqual([]);
  });

  it('end no process and repeat no job if every session is terminated each second', async () => {
    await begin();
    await trial.schedule(load);
    const over = trial.injections.begin('sessions terminated', 'every second');
    const terminator = setInterval(() => {
      const sql = `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name <> 'faults'`;
      void trial.database.rows(sql).catch(() => undefined);
    }, 1000);
    try {
      await trial.awaitCalls(1500);
    } finally {
      clearInterval(terminator);
      over();
    }

    expect(await verdictOn('17', 'sessions terminated')).toEqual([]);
  });
});

describe('row 18: an unresponsive Postgres while jobs are called', () => {
  it.each([
    ['within the leases: repeats no job', 12, longLeases, false],
    ['past the leases: stops calls under expired leases', 12, {}, true],
  ] as const)('frozen %s', async (what, seconds, engine, isPastLease) => {
    await begin({ engine });
    await trial.schedule(load);
    await trial.awaitCalls(200);
    const open = isPastLease ? await trial.database.count('select 1 from job_claims') : 0;
    const thawed = trial.injections.begin('Postgres frozen', `${seconds} s`);
    postgres.freeze();
    await lasting(seconds * 1000);
    postgres.thaw();
    thawed();

    await trial.awaitEnded(120_000);
    const scenario = `frozen ${what.split(':')[0] ?? ''}, callbacks`;
    expect(await trial.judgeCallbacks({ rows: '18', scenario, allow: { doubled: open } })).toEqual([]);
  });

  it.each(['job_claims', 'jobs', 'client_totals', 'job_partitions'])(
    'repeats no job if the table %s is locked for 8 s, and calls continue afterwards',
    async (table) => {
      await begin();
      await trial.schedule(load);
      await trial.awaitCalls(200);
      const lock = await trial.database.hold(`lock table ${table} in access exclusive mode`);
      const released = trial.injections.begin('lock', table);
      await lasting(8000);
      await lock.release();
      released();

      expect(await verdictOn('18', `${table} locked 8 s`)).toEqual([]);
    },
  );
});

describe('row 19: a lost response to a commit', () => {
  let proxy: ProxyBefore | undefined;
  afterEach(() => proxy?.close());

  it.each([
    ['ends and claims', /insert into job_claims/, 5, 6, '12000'],
    ['accepted jobs', /insert into jobs/, 3, 4, '25000'],
  ])('is resolved by the committed rows, which count once: %s', async (what, pattern, every, lost, lease) => {
    const cuts = cutAfterCommit((sql) => pattern.test(sql), every);
    await begin({
      throughProxy: async (databaseUrl) => {
        proxy = await startProxyBefore(databaseUrl, cuts);
        return proxy.databaseUrl;
      },
      // Claims whose commit answer was lost wait for the end of their lease. The lease must be longer than the time-out
      // of a call.
      engine: { DISPATCHER_LEASE_MS: lease },
    });
    const over = trial.injections.begin('commit answer lost', what);
    for (let part = 0; part < 12; part++) await trial.schedule({ count: 200, path: 'slow' });
    await until(`${lost} answers are lost`, () => cuts.cuts() >= lost);
    proxy?.inspect({});
    over();

    expect(await verdictOn('19', `answers lost of ${what}`, { 'answers lost': cuts.cuts() })).toEqual([]);
  });
});
