import type { Pool } from 'pg';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { lockJobs } from '../../services/api/jobs/postgres/job-statements.ts';
import type { CallLedger, ClaimedJob, JobResult } from '../../services/dispatcher/ports/call-ledger.ts';
import { createCallLedger } from '../../services/dispatcher/postgres/call-ledger.ts';
import { compareKeys, type JobKey } from '../../shared/domain/job/job-key.ts';
import { plainArray } from '../../shared/postgres/connection/array-literals.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { inTransaction } from '../../shared/postgres/connection/transaction.ts';
import { clientIdOf } from '../support/conformance/job-subject.ts';
import { databaseForFile } from '../support/file-database.ts';
import { lockWaits } from '../support/lock-waits.ts';

const database = databaseForFile(createHotPathPool);
const rounds = 15;
const jobsPerRound = 240;

/** Runs work with several dispatchers that have their own connections and count deadlocks when they end. */
async function amongDispatchers(
  names: readonly string[],
  work: (ledgers: CallLedger[], pool: Pool) => Promise<void>,
): Promise<number> {
  const before = await deadlocks();
  const logger = pino({ level: 'silent' });
  const applicationName = 'a dispatcher under test';
  const pool = createHotPathPool({ connectionString: database.url, applicationName, logger });
  const ledgers = names.map((owner, slot) =>
    createCallLedger({ pool, owner, slot, leaseMs: 60_000, region: () => ({ name: 'local', epoch: 1 }) }),
  );
  try {
    await work(ledgers, pool);
  } finally {
    await pool.end();
  }
  const open = `select from pg_stat_activity where application_name = $1 and datname = current_database()`;
  while ((await database.pool.query(open, [applicationName])).rowCount !== 0);
  return (await deadlocks()) - before;
}

/** Returns the deadlocks that the server has found in this database. A session reports its own deadlocks at its end. */
async function deadlocks(): Promise<number> {
  await database.pool.query('select pg_stat_clear_snapshot()');
  const { rows } = await database.pool.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.deadlocks);
}

async function untilWaiting(sessions: number): Promise<void> {
  while ((await database.pool.query(`select from ${lockWaits}`)).rowCount !== sessions);
}

/** Adds due jobs whose ids and positions in the table are in the opposite order of their keys. */
async function addJobs(): Promise<JobKey[]> {
  const { rows } = await database.pool.query<JobKey>(
    `insert into jobs (partition_id, due_at, id, client, scheduled_for, method, url)
     select partition_id, due_at, (lpad(to_hex($2::int - place), 8, '0') || substr(gen_random_uuid()::text, 9))::uuid,
       $1, now(), 'POST', 'x'
     from (
       select n % 64 as partition_id, now() - n * interval '1 ms' as due_at,
         row_number() over (order by n % 64, -n) as place
       from generate_series(1, $2::int) n
     ) k
     order by place desc
     returning partition_id as partition, (extract(epoch from due_at) * 1000000)::float8 as "dueUs", id as "jobId"`,
    [clientIdOf(1), jobsPerRound],
  );
  return rows;
}

const ended = (claims: readonly ClaimedJob[]): JobResult[] =>
  claims.map((claim) => ({
    ...claim,
    verdict: { kind: 'called' },
    note: { status: 200, latencyMs: 1, error: null, answer: null },
  }));

describe('statements that lock jobs and fires', () => {
  beforeEach(() => database.empty());

  it('never deadlock when dispatchers take over jobs that their owners are ending', async () => {
    let recorded = 0;
    const found = await amongDispatchers(['a', 'b'], async (ledgers) => {
      for (let round = 0; round < rounds; round++) {
        const keys = await addJobs();
        const halves = [keys.filter((_, index) => index % 2 === 0), keys.filter((_, index) => index % 2 === 1)];
        const claimed = await Promise.all(
          ledgers.map(async (ledger, nth) => {
            return (await ledger.flush({ results: [], claims: halves[nth] ?? [] })).claimed;
          }),
        );
        await database.pool.query(`update job_claims set lease_until = now() - interval '1 second'`);
        const flushed = await Promise.all(
          ledgers.map((ledger, nth) => {
            return ledger.flush({ results: ended(claimed[nth] ?? []), claims: halves[1 - nth] ?? [] });
          }),
        );
        recorded += flushed.reduce((sum, each) => sum + each.recorded.size, 0);
        const again = flushed.flatMap((each) => each.claimed.map(({ jobId }) => jobId));
        const gone = flushed.flatMap((each) => [...each.recorded]);
        // Each job has ended once, or the other dispatcher has it.
        expect(new Set([...again, ...gone]).size).toBe(jobsPerRound);
        expect(again.length + gone.length).toBe(jobsPerRound);
      }
    });
    expect(recorded).toBeGreaterThan(0);
    expect(found).toBe(0);
  });

  it('never deadlock when several dispatchers claim and end the same jobs', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const calls = new Map<string, number>();
    const found = await amongDispatchers(names, async (ledgers) => {
      const keys: JobKey[] = [];
      for (let round = 0; round < rounds; round++) keys.push(...(await addJobs()));
      await Promise.all(
        ledgers.map(async (ledger, nth) => {
          let results: JobResult[] = [];
          for (let at = 0; at < keys.length || results.length > 0; at += 60 + nth) {
            const own = new Set(results.map(({ jobId }) => jobId));
            const claims = keys.slice(at, at + 60 + nth).filter(({ jobId }) => !own.has(jobId));
            const { claimed } = await ledger.flush({ results, claims });
            for (const { jobId } of claimed) calls.set(jobId, (calls.get(jobId) ?? 0) + 1);
            results = ended(claimed);
          }
        }),
      );
    });
    expect([...calls.values()].filter((times) => times !== 1)).toEqual([]);
    expect(found).toBe(0);
  });

  it('never deadlock when jobs are changed by id while a dispatcher ends them', async () => {
    const blocker = await database.pool.connect();
    const found = await amongDispatchers(['a'], async ([ledger], pool) => {
      const keys = (await addJobs()).sort(compareKeys);
      const { claimed = [] } = (await ledger?.flush({ results: [], claims: keys })) ?? {};
      const named = { ids: plainArray(keys.map(({ jobId }) => jobId)), client: null };
      // The flush waits in the middle of its jobs. Meanwhile the change arrives.
      await blocker.query('begin');
      await blocker.query('select from jobs where id = $1 for update', [keys[jobsPerRound / 2]?.jobId]);
      const ending = ledger?.flush({ results: ended(claimed), claims: [] });
      await untilWaiting(1);
      const changing = inTransaction(pool, (client) => client.query(lockJobs.with(named)));
      await untilWaiting(2);
      await blocker.query('commit');
      await Promise.all([ending, changing]);
    }).finally(() => blocker.release());
    expect(found).toBe(0);
  });
});
