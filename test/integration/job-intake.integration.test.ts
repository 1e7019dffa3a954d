import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jobIdOf } from '../../shared/domain/job/job-ids.ts';
import { createDeadJobStore } from '../../services/api/jobs/postgres/dead-job-store.ts';
import { createJobStore } from '../../services/api/jobs/postgres/job-store.ts';
import { createCallLedger } from '../../services/dispatcher/postgres/call-ledger.ts';
import { createHostCircuits } from '../../services/dispatcher/postgres/host-circuits.ts';
import type { JobVerdict } from '../../services/dispatcher/ports/call-ledger.ts';
import {
  createJobIntake,
  knownJobs,
  storeJobs,
  storeMissingJobs,
  storeJobsWithin,
  valuesOf,
} from '../../shared/postgres/jobs/job-intake.ts';
import { createAcceptPool } from '../../shared/postgres/connection/pool.ts';
import { describeJobIntake } from '../support/conformance/job-intake.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';
import { lockWaits, untilOneWaits } from '../support/lock-waits.ts';
import { postgresJobSubject } from '../support/postgres-job-subject.ts';

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
  select client as "clientId", ${ms('due_at')} as "dueAtMs", ${ms('expires_at')} as "expiresAtMs", key, method, url,
    headers, body, tags
  from jobs where id = $1`;

/** Ends a job like a dispatcher. */
async function endBy(jobId: string, verdict: JobVerdict): Promise<void> {
  const { pool } = database;
  const ledger = createCallLedger({
    pool,
    owner: 'a dispatcher',
    slot: 9,
    leaseMs: 60_000,
    region: () => ({ name: 'local', epoch: 1 }),
  });
  await pool.query('update jobs set due_at = now() where id = $1', [jobId]);
  const keys = (await postgresJobSubject(pool).keys()).filter((key) => key.jobId === jobId);
  const { claimed } = await ledger.flush({ results: [], claims: keys });
  const note = { status: null, latencyMs: null, error: null, answer: null };
  const { recorded } = await ledger.flush({ results: claimed.map((job) => ({ ...job, verdict, note })), claims: [] });
  expect([...recorded]).toEqual([jobId]);
}

const called = { kind: 'called' } as const;
const dead = { kind: 'dead', cause: 'http-500' } as const;

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
      await endBy(jobId, outcome === 'called' ? called : dead);
    },
    accepted: async (clientId) => {
      const sum = 'select coalesce(sum(accepted), 0)::int as accepted from client_totals where client = $1';
      return (await database.pool.query<{ accepted: number }>(sum, [clientId])).rows[0]?.accepted ?? 0;
    },
  };
});

describe('the statements that store jobs', () => {
  it.each([
    // This statement looks up ended jobs only after its insert.
    { statement: 'alone', text: storeJobs.text, looksAtEnded: false },
    { statement: 'beside others', text: storeMissingJobs.text, looksAtEnded: true },
    { statement: 'within a transaction', text: storeJobsWithin.text, looksAtEnded: true },
  ])(
    'look up all keys at once by index, whatever the tables held at planning: $statement',
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

  it('store and count only the remaining jobs if another transaction has stored some of them', async () => {
    await database.empty();
    const intake = createJobIntake({ pool: database.pool });
    const clientId = uuidv7();
    const jobs = ['a', 'b', 'c'].map((key) => ({ ...someJob, clientId, key, jobId: jobIdOf(clientId, key) }));
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query(storeJobsWithin.with({ ...valuesOf(jobs.slice(1, 2)), slot: 1 }));
    const storing = intake.store(jobs, 2);
    await untilOneWaits(database.pool);
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

describe('the idempotency key of an ended job', () => {
  it.each([
    { ended: '2 days 23 hours', isKnown: true },
    { ended: '3 days 1 hour', isKnown: false },
  ])('is remembered for three days: ended $ended ago, remembered $isKnown', async ({ ended, isKnown }) => {
    await database.empty();
    const intake = createJobIntake({ pool: database.pool });
    const clientId = uuidv7();
    const jobs = ['alone', 'again'].map((key) => ({ ...someJob, clientId, key, jobId: jobIdOf(clientId, key) }));
    await intake.store(jobs, 1);
    for (const { jobId } of jobs) await endBy(jobId, called);
    await database.pool.query('update ended_jobs set ended_at = now() - $1::interval', [ended]);

    const [alone, again] = jobs.map((job) => [job]);
    const stored = [await intake.store(alone ?? [], 2), await intake.store(again ?? [], 2, true)];
    expect(stored.map(({ size }) => size)).toEqual(isKnown ? [0, 0] : [1, 1]);
  });

  const clientId = uuidv7();
  const sideline = `update jobs set due_at = 'infinity', sideline = 'shop.test', expires_at = now() where id = $1`;
  const ends: Record<string, (jobId: string) => Promise<unknown>> = {
    called: (jobId) => endBy(jobId, called),
    expired: (jobId) => endBy(jobId, { kind: 'expired' }),
    dead: (jobId) => endBy(jobId, dead),
    'dead, with its dead letter deleted': async (jobId) => {
      await endBy(jobId, dead);
      await database.pool.query('delete from dead_jobs where id = $1', [jobId]);
    },
    'dead, replayed and called': async (jobId) => {
      const client = "insert into clients (id, name, definition) values ($1, 'shop', '{}')";
      await database.pool.query(client, [clientId]);
      await endBy(jobId, dead);
      expect(await createDeadJobStore({ pool: database.pool }).replay(jobId, { withExpired: false })).toBe('replayed');
      await endBy(jobId, called);
    },
    cancelled: (jobId) => createJobStore({ pool: database.pool, slot: 7 }).cancel([jobId]),
    'expired while its host did not answer': async (jobId) => {
      await database.pool.query(sideline, [jobId]);
      const circuits = createHostCircuits({ pool: database.pool, owner: 'a dispatcher', slot: 9 });
      expect(await circuits.expire({ clientId, host: 'shop.test' }, 10)).toBe(1);
    },
  };
  it.each(Object.keys(ends))('is remembered with the call of the job: %s', async (end) => {
    await database.empty();
    const intake = createJobIntake({ pool: database.pool });
    const job = { ...someJob, clientId, key: 'order-17', body: '{"order":17}', jobId: jobIdOf(clientId, 'order-17') };
    await intake.store([job], 1);
    await ends[end]?.(job.jobId);

    expect((await intake.store([job], 1)).size).toBe(0);
    expect(await intake.known([job, { ...job, body: '{"order":18}' }, { ...job, headers: '{"x-a":"b"}' }])).toEqual([
      { dueAtMs: null, isSameCall: true },
      { dueAtMs: null, isSameCall: false },
      { dueAtMs: null, isSameCall: false },
    ]);
  });

  it('is compared by method and URL if the job ended before digests were stored', async () => {
    await database.empty();
    const intake = createJobIntake({ pool: database.pool });
    const job = { ...someJob, clientId, key: 'order-17', jobId: jobIdOf(clientId, 'order-17') };
    await intake.store([job], 1);
    await endBy(job.jobId, called);
    await database.pool.query('update ended_jobs set call_digest = null');
    const known = await intake.known([
      { ...job, body: 'other' },
      { ...job, url: 'https://shop.test/other' },
    ]);
    expect(known.map((each) => each?.isSameCall)).toEqual([true, false]);
  });

  it('is looked up by index, whatever the tables held at planning', async () => {
    const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${knownJobs.text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toContain('Seq Scan');
    for (const index of ['jobs_by_id', 'dead_jobs_pkey', 'ended_jobs_other_id_idx'])
      expect(plan).toMatch(new RegExp(`Scan using ${index}.*\\n +Index Cond: \\(id = k\\.id\\)`));
  });
});

describe('a repeated job whose statement waits until the first copy has ended', () => {
  const clientId = uuidv7();
  const jobOf = (key: string | null) => ({ ...someJob, clientId, key, jobId: jobIdOf(clientId, key) });
  const asCancelled = async (jobId: string) => {
    expect(await createJobStore({ pool: database.pool, slot: 7 }).cancel([jobId])).toEqual([{ kind: 'changed' }]);
  };
  const ends = {
    called: (jobId: string) => endBy(jobId, called),
    dead: (jobId: string) => endBy(jobId, dead),
    cancelled: asCancelled,
  };
  /**
   * Returns two jobs. They are stored in the order of their ids, so the statement waits at the first before it reaches
   * the second.
   */
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
    // The sender has given up its first statement, which continues in Postgres.
    { end: 'called', key: null, isAgain: false },
  ] as const)('is accepted once: $end, key $key, again $isAgain', async ({ end, key, isAgain }) => {
    await database.empty();
    const intake = createJobIntake({ pool: database.pool });
    const [blocked, job] = pairOf(key);
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query(storeJobsWithin.with({ ...valuesOf([blocked]), slot: 1 }));
    const late = intake.store([blocked, job], 2, isAgain);
    await untilOneWaits(database.pool);
    expect([...(await intake.store([job], 3, true)).keys()]).toEqual([job.jobId]);
    await ends[end](job.jobId);
    // A job without a key is sent again only after this time.
    if (key === null)
      await database.pool.query(`select pg_sleep_until(query_start + interval '250 milliseconds') from ${lockWaits}`);
    await other.query('rollback');
    other.release();

    expect([...(await late).keys()]).toEqual([blocked.jobId]);
    expect((await database.pool.query('select id from jobs')).rows).toEqual([{ id: blocked.jobId }]);
    const { rows } = await database.pool.query('select sum(accepted)::int as accepted from client_totals');
    expect(rows).toEqual([{ accepted: 2 }]);
  });

  it('is looked up by the index of ids, whatever the tables held at planning', async () => {
    const { rows: source } = await database.pool.query<{ prosrc: string }>(
      `select prosrc from pg_proc where proname = 'refuse_ended_jobs'`,
    );
    const read = /perform (from unnest\(ids\)[^;]*);/
      .exec(source[0]?.prosrc ?? '')?.[1]
      ?.replace('(ids)', '($1::uuid[])')
      .replace('since', '$2::interval');
    const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) select ${read ?? ''}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Scan using ended_jobs_other_id_idx.*\n +Index Cond: \(id = l\.id\)/);
    expect(plan).not.toContain('Seq Scan');
    expect(plan).not.toContain('client_ended_at');
  });
});

const someJob = {
  dueAt: null,
  delayMs: 3_600_000,
  relevancyMs: null,
  method: 'POST',
  url: 'https://shop.test/hook',
  headers: null,
  body: null,
  tags: null,
  scheduleId: null,
};
