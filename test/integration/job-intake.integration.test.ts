import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jobIdOf } from '../../shared/domain/job/job-ids.ts';
import { createJobStore } from '../../services/api/jobs/postgres/job-store.ts';
import {
  createJobIntake,
  storeJobs,
  storeJobsBeside,
  storeJobsWithin,
  valuesOf,
} from '../../shared/postgres/jobs/job-intake.ts';
import { createAcceptPool } from '../../shared/postgres/connection/pool.ts';
import { describeJobIntake } from '../support/conformance/job-intake.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';

const database = databaseForFile(createAcceptPool);

const storedRow = z.object({
  clientId: z.string(),
  dueAtMs: z.coerce.number(),
  expiresAtMs: z.coerce.number().nullable(),
  key: z.string().nullable(),
  method: z.string(),
  url: z.string(),
  headers: z.string().nullable(),
  body: z.string().nullable(),
  tags: z.array(z.string()).nullable(),
});
const ms = (column: string) => `trunc(extract(epoch from ${column}) * 1000)`;
const select = `
  select client as "clientId", ${ms('due_at')} as "dueAtMs", ${ms('expires_at')} as "expiresAtMs", key, method, url, headers, body, tags
  from jobs where id = $1`;
const asCalled = `
  with j as (delete from jobs where id = $1 returning *)
  insert into ended_jobs (id, client, ended_at, scheduled_for, outcome, attempt, method, url, key, tags)
  select id, client, now(), scheduled_for, 'called', attempt, method, url, key, tags from j`;
const asDead = `
  with j as (delete from jobs where id = $1 returning *), e as (
    insert into ended_jobs (id, client, ended_at, scheduled_for, outcome, attempt, method, url, key, tags)
    select id, client, now(), scheduled_for, 'dead', attempt, method, url, key, tags from j
  )
  insert into dead_jobs (id, client, cause, job) select id, client, 'http-500', to_jsonb(j) from j`;

describeJobIntake('on Postgres', async () => {
  await database.empty();
  return {
    intake: createJobIntake({ pool: database.pool }),
    now: async () =>
      Number((await database.pool.query<{ ms: string }>(`select ${ms('clock_timestamp()')} as ms`)).rows[0]?.ms),
    stored: async (jobId) => {
      const { rows } = await database.pool.query<object>(select, [jobId]);
      return rows[0] && storedRow.parse(rows[0]);
    },
    end: async (jobId, outcome) => {
      await database.pool.query(outcome === 'called' ? asCalled : asDead, [jobId]);
    },
    accepted: async (clientId) => {
      const sum = 'select coalesce(sum(accepted), 0)::int as accepted from client_totals where client = $1';
      return (await database.pool.query<{ accepted: number }>(sum, [clientId])).rows[0]?.accepted ?? 0;
    },
  };
});

describe('the statements that store jobs', () => {
  it.each([
    // It looks at those after its insert.
    { statement: 'alone', text: storeJobs.text, looksAtEnded: false },
    { statement: 'beside others', text: storeJobsBeside.text, looksAtEnded: true },
    { statement: 'within a transaction', text: storeJobsWithin.text, looksAtEnded: true },
  ])(
    'look keys up by index, all at once, whatever the tables held when they were planned: $statement',
    async ({ text, looksAtEnded }) => {
      const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).not.toMatch(/Seq Scan on (jobs|ended_jobs|dead_jobs)/);
      for (const index of ['jobs_by_id', 'dead_jobs_pkey']) {
        expect(plan).toMatch(new RegExp(`Scan (using|on) ${index}.*\\n +Index Cond: \\(id = ANY`));
      }
      if (looksAtEnded) expect(plan).toMatch(/Scan using ended_jobs_other_id_idx.*\n +Index Cond: \(id = l\.id\)/);
      expect(plan).not.toContain('client_ended_at');
    },
  );

  it('store the rest, and count only that, where another has stored some since they looked', async () => {
    await database.empty();
    const intake = createJobIntake({ pool: database.pool });
    const clientId = uuidv7();
    const jobs = ['a', 'b', 'c'].map((key) => ({ ...someJob, clientId, key, jobId: jobIdOf(clientId, key) }));
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query(storeJobsWithin.with({ ...valuesOf(jobs.slice(1, 2)), slot: 1 }));
    const storing = intake.store(jobs, 2);
    await untilWaiting(database.pool);
    await other.query('commit');
    other.release();

    expect([...(await storing).keys()]).toEqual([jobs[0]?.jobId, jobs[2]?.jobId]);
    const { rows } = await database.pool.query('select slot, accepted::int from client_totals order by slot');
    expect(rows).toEqual([
      { slot: 1, accepted: 1 },
      { slot: 2, accepted: 2 },
    ]);
  });
});

describe('a key whose job has ended', () => {
  it.each([
    { ended: '2 days 23 hours', isKnown: true },
    { ended: '3 days 1 hour', isKnown: false },
  ])('is known for three days: ended $ended ago, known $isKnown', async ({ ended, isKnown }) => {
    await database.empty();
    const intake = createJobIntake({ pool: database.pool });
    const clientId = uuidv7();
    const jobs = ['alone', 'again'].map((key) => ({ ...someJob, clientId, key, jobId: jobIdOf(clientId, key) }));
    await intake.store(jobs, 1);
    for (const { jobId } of jobs) await database.pool.query(asCalled, [jobId]);
    await database.pool.query('update ended_jobs set ended_at = now() - $1::interval', [ended]);

    const [alone, again] = jobs.map((job) => [job]);
    const stored = [await intake.store(alone ?? [], 2), await intake.store(again ?? [], 2, true)];
    expect(stored.map(({ size }) => size)).toEqual(isKnown ? [0, 0] : [1, 1]);
  });
});

describe('a job that comes a second time, and whose statement waits while the first one lives its whole life', () => {
  const clientId = uuidv7();
  const jobOf = (key: string | null) => ({ ...someJob, clientId, key, jobId: jobIdOf(clientId, key) });
  const asCancelled = async (jobId: string) => {
    expect(await createJobStore({ pool: database.pool, slot: 7 }).cancel([jobId])).toEqual([{ kind: 'changed' }]);
  };
  const ends = {
    called: (jobId: string) => database.pool.query(asCalled, [jobId]),
    dead: (jobId: string) => database.pool.query(asDead, [jobId]),
    cancelled: asCancelled,
  };
  /** Stored in the order of their ids: what the second one's statement waits at comes before it. */
  const pairOf = (key: string | null) => {
    const second = jobOf(key);
    for (let number = 0; ; number++) {
      const first = jobOf(`before-${number}`);
      if (first.jobId < second.jobId) return [first, second] as const;
    }
  };

  it.each([
    { end: 'called', key: 'order-17', isAgain: false },
    { end: 'dead', key: 'order-17', isAgain: false },
    { end: 'cancelled', key: 'order-17', isAgain: false },
    { end: 'called', key: 'order-17', isAgain: true },
    // Its first statement was given up by its sender, and goes on in Postgres.
    { end: 'called', key: null, isAgain: false },
  ] as const)('is accepted once: $end, key $key, again $isAgain', async ({ end, key, isAgain }) => {
    await database.empty();
    const intake = createJobIntake({ pool: database.pool });
    const [blocked, job] = pairOf(key);
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query(storeJobsWithin.with({ ...valuesOf([blocked]), slot: 1 }));
    const late = intake.store([blocked, job], 2, isAgain);
    await untilWaiting(database.pool);
    expect([...(await intake.store([job], 3, true)).keys()]).toEqual([job.jobId]);
    await ends[end](job.jobId);
    // Without a key, it is not sent again before.
    if (key === null)
      await database.pool.query(
        `select pg_sleep_until(query_start + interval '250 milliseconds') from ${waitingStatement}`,
      );
    await other.query('rollback');
    other.release();

    expect([...(await late).keys()]).toEqual([blocked.jobId]);
    expect((await database.pool.query('select id from jobs')).rows).toEqual([{ id: blocked.jobId }]);
    const { rows } = await database.pool.query('select sum(accepted)::int as accepted from client_totals');
    expect(rows).toEqual([{ accepted: 2 }]);
  });

  it('is looked for by the index of ids, whatever the tables held when that was planned', async () => {
    const { rows: source } = await database.pool.query<{ prosrc: string }>(
      `select prosrc from pg_proc where proname = 'refuse_ended_jobs'`,
    );
    const look = /perform (from unnest\(ids\)[^;]*);/
      .exec(source[0]?.prosrc ?? '')?.[1]
      ?.replace('(ids)', '($1::uuid[])')
      .replace('since', '$2::interval');
    const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) select ${look ?? ''}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Scan using ended_jobs_other_id_idx.*\n +Index Cond: \(id = l\.id\)/);
    expect(plan).not.toContain('Seq Scan');
    expect(plan).not.toContain('client_ended_at');
  });
});

const someJob = {
  ...{ dueAt: null, delayMs: 3_600_000, relevancyMs: null, method: 'POST', url: 'https://shop.test/hook' },
  ...{ headers: null, body: null, tags: null, scheduleId: null },
};

/** Until a statement waits for another transaction. */
async function untilWaiting(on: Pool): Promise<void> {
  while ((await on.query(`select from ${waitingStatement}`)).rowCount === 0);
}

const waitingStatement = `(select * from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') waiting`;
