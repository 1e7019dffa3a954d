import { beforeEach, describe, expect, it } from 'vitest';
import { createCallLedger } from '../../services/dispatcher/postgres/call-ledger.ts';
import { flushCalls, type FlushParams } from '../../services/dispatcher/postgres/call-statements.ts';
import { createHostCircuits } from '../../services/dispatcher/postgres/host-circuits.ts';
import {
  scanDue,
  scanLate,
  readOfClients,
  peekDue,
  sweepDue,
  sweepLapsed,
} from '../../services/scheduler/postgres/due-reference-statements.ts';
import { createDueReferences, skipParams } from '../../services/scheduler/postgres/due-references.ts';
import { createDispatchers } from '../../services/scheduler/postgres/dispatchers.ts';
import { createJobHistory } from '../../services/scheduler/postgres/job-history.ts';
import { createPartitionLeases } from '../../services/scheduler/postgres/partition-leases.ts';
import { createJobNodes } from '../../shared/postgres/jobs/job-nodes.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { describeCallLedger, ledgerLeaseMs } from '../support/conformance/call-ledger.conformance.ts';
import { describeHostCircuits } from '../support/conformance/host-circuits.conformance.ts';
import { describeDispatchers } from '../support/conformance/dispatchers.conformance.ts';
import { describeDueReferences } from '../support/conformance/due-references.conformance.ts';
import { describePartitionLeases, leaderName } from '../support/conformance/partition-leases.conformance.ts';
import { clientIdOf, jobIdOf } from '../support/conformance/job-subject.ts';
import { databaseForFile } from '../support/file-database.ts';
import { untilOneWaits } from '../support/lock-waits.ts';
import { postgresJobSubject } from '../support/postgres-job-subject.ts';
import { rowsReadOf, type ExplainedRow } from '../support/rows-read.ts';

const database = databaseForFile(createHotPathPool);

const ledgerOf = (owner: string) =>
  createCallLedger({
    pool: database.pool,
    owner,
    slot: 1,
    leaseMs: ledgerLeaseMs,
    region: () => ({ name: 'local', epoch: 1 }),
  });

describeCallLedger('on Postgres', async () => {
  await database.empty();
  return { ...postgresJobSubject(database.pool), ledgerOf };
});

describeHostCircuits('on Postgres', async () => {
  await database.empty();
  const circuitsOf = (owner: string) => createHostCircuits({ pool: database.pool, owner, slot: 1 });
  return { ...postgresJobSubject(database.pool), ledgerOf, circuitsOf };
});

describeDueReferences('on Postgres', async () => {
  await database.empty();
  return { ...postgresJobSubject(database.pool), due: createDueReferences({ pool: database.pool }), ledgerOf };
});

describeDispatchers('on Postgres', async () => {
  await database.empty();
  await database.pool.query("insert into regions (name) values ('local'), ('other') on conflict do nothing");
  return {
    switchRegion: async (name: string, active: boolean) => {
      await database.pool.query('update regions set active = $2 where name = $1', [name, active]);
    },
    nodes: createJobNodes({ pool: database.pool }),
    dispatchers: createDispatchers({ pool: database.pool }),
    passTime: async (ms: number) => {
      await database.pool.query("update job_nodes set expires_at = expires_at - $1 * interval '1 ms'", [ms]);
    },
  };
});

describePartitionLeases('on Postgres', async () => {
  await database.empty();
  return {
    leases: createLeases({ pool: database.pool }),
    partitions: createPartitionLeases({ pool: database.pool, leader: leaderName }),
    setRegion: async (name: string, active: boolean) => {
      await database.pool.query(
        'insert into regions (name, active) values ($1, $2) on conflict (name) do update set active = excluded.active',
        [name, active],
      );
    },
    passTime: async (ms: number) => {
      for (const table of ['job_partitions', 'job_nodes', 'leases']) {
        await database.pool.query(`update ${table} set expires_at = expires_at - $1 * interval '1 ms'`, [ms]);
      }
    },
  };
});

describe('the statement that ends and claims jobs', () => {
  beforeEach(() => database.empty());

  it('uses the indexes of claims and jobs, even if Postgres planned it on empty tables', async () => {
    await database.pool.query('analyze job_claims, jobs');
    const nothing: FlushParams = {
      partitions: '{}',
      dues: '{}',
      ids: '{}',
      epochs: '{}',
      verdicts: '{}',
      delaysMs: '{}',
      statuses: '{}',
      latenciesMs: '{}',
      errors: '{}',
      answers: '{}',
      remarks: '{}',
      claimPartitions: '{}',
      claimDues: '{}',
      forgets: '{}',
      claimIds: '{}',
      claimTimeoutsMs: '{}',
      owner: 'a',
      leaseMs: 1,
      slot: 1,
      region: 'local',
      regionEpoch: 1,
    };
    const { text, values } = flushCalls.with(nothing);
    const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>({
      text: `explain ${text}`,
      values: values ?? [],
    });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/(Seq|Bitmap Heap) Scan on (job_claims|jobs)/);
    const scans = plan
      .split(/(?=Index (?:Only )?Scan)/)
      .filter((part) => /^Index (Only )?Scan using \w+ on (job_claims|jobs)/.test(part));
    expect(scans).toHaveLength(6);
    for (const scan of scans) expect(scan.split('\n')[1]).toMatch(/Index Cond: .*(partition_id|id) = /);
  });

  it('gives each job to exactly one of several dispatchers that claim the same jobs at once', async () => {
    const subject = postgresJobSubject(database.pool);
    const keys = await subject.add(
      Array.from({ length: 200 }, (_, index) => ({ jobId: jobIdOf(index), clientId: clientIdOf(1), dueInMs: -1 })),
    );
    const claims = await Promise.all(
      ['a', 'b', 'c'].map((owner) => ledgerOf(owner).flush({ results: [], claims: keys })),
    );
    const ids = claims.flatMap(({ claimed }) => claimed.map(({ jobId }) => jobId));
    expect(ids).toHaveLength(200);
    expect(new Set(ids).size).toBe(200);
  });

  it('claims no job that another dispatcher is ending, and does not delay that end, because both lock in one order', async () => {
    const subject = postgresJobSubject(database.pool);
    const keys = await subject.add([{ jobId: jobIdOf(1), clientId: clientIdOf(1), dueInMs: -1 }]);
    const [job] = (await ledgerOf('a').flush({ results: [], claims: keys })).claimed;
    if (!job) throw new Error('not claimed');
    await subject.passTime(ledgerLeaseMs + 1);

    const reader = await database.pool.connect();
    try {
      await reader.query('begin');
      // A change by hand holds the job like this. The end waits for the job.
      await reader.query('select from jobs for update');
      const note = { status: 200, latencyMs: 1, error: null, answer: null };
      const ending = ledgerOf('a').flush({ results: [{ ...job, verdict: { kind: 'called' }, note }], claims: [] });
      await untilOneWaits(database.pool);
      expect((await ledgerOf('b').flush({ results: [], claims: keys })).claimed).toEqual([]);
      await reader.query('commit');
      expect((await ending).recorded.size).toBe(1);
    } finally {
      reader.release();
    }
  });

  it('refuses the late result of a dispatcher that lost its lease while another dispatcher takes over', async () => {
    const subject = postgresJobSubject(database.pool);
    const keys = await subject.add([{ jobId: jobIdOf(1), clientId: clientIdOf(1), dueInMs: -1 }]);
    const [zombie] = (await ledgerOf('a').flush({ results: [], claims: keys })).claimed;
    if (!zombie) throw new Error('not claimed');
    await subject.passTime(ledgerLeaseMs + 1);

    const taking = await database.pool.connect();
    try {
      await taking.query('begin');
      await taking.query(
        `update job_claims set epoch = epoch + 1, owner = 'b', lease_until = now() + interval '1 minute'`,
      );
      const note = { status: 200, latencyMs: 1, error: null, answer: null };
      const ending = ledgerOf('a').flush({ results: [{ ...zombie, verdict: { kind: 'called' }, note }], claims: [] });
      await untilOneWaits(database.pool);
      await taking.query('commit');
      expect((await ending).recorded.size).toBe(0);
    } finally {
      taking.release();
    }
    expect(await subject.rows()).toMatchObject({
      ended: [],
      fires: [{ owner: 'b', epoch: 2 }],
      pending: [{ attempt: 1 }],
    });
  });
});

describe('the queries for due jobs', () => {
  it('start at the read position of each partition by index, even if Postgres planned them on empty tables', async () => {
    await database.empty();
    await database.pool.query('analyze job_claims, jobs');
    const marks = { partitions: '{1}', dues: '{0}', ids: `{${jobIdOf(0)}}` };
    const until = { untilDues: '{1}', untilIds: `{${jobIdOf(0)}}`, limit: 16 };
    const statements = [
      scanDue.with({ ...marks, limit: 16, nearMs: 50 }),
      scanLate.with({ ...marks, horizon: null }),
      sweepDue.with({ ...marks, ...until, ...skipParams(new Map(), [{ partition: 1 }]) }),
      peekDue.with({ ...marks, limit: 16 }),
      readOfClients.with({
        ...marks,
        ...until,
        clients: `{${clientIdOf(1)}}`,
        priorities: '{}',
        limits: '{16}',
        rows: 16,
      }),
    ];
    const fromClaims = sweepLapsed.with({ ...marks, ...until });
    const explained = await database.pool.query<{ 'QUERY PLAN': string }>({
      text: `explain ${fromClaims.text}`,
      values: fromClaims.values ?? [],
    });
    const lapsed = explained.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(lapsed).toMatch(
      /job_claims_pkey on job_claims f.*\n *Index Cond: \(\(partition_id = w\.p\) AND \(.*due_at.*id/,
    );
    expect(lapsed).toMatch(/Scan using jobs_(pkey|by_id) on jobs j.*\n *Index Cond: .*id = f\.(partition_)?id/);
    expect(lapsed).not.toMatch(/(Seq|Bitmap Heap) Scan on (job_claims|jobs)|Sort/);
    for (const { text, values } of statements) {
      const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>({
        text: `explain ${text}`,
        values: values ?? [],
      });
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(
        /Index Scan using jobs_pkey on jobs t.*\n *Index Cond: \(\(partition_id = w\.p\) AND \(.*due_at.*id/,
      );
      expect(plan).not.toMatch(/(Seq|Bitmap Heap) Scan on (job_claims|jobs)|Sort/);
    }
  });

  it('read no more rows of a backlog than requested, whichever client it belongs to', async () => {
    await database.empty();
    await addCrowd(10_000);
    await database.pool.query('analyze jobs, job_claims');
    const read = await rowsReadOfLooks();
    expect(Object.entries(read).filter(([, rows]) => rows > rowsRequested)).toEqual([]);
  });
});

const rowsRequested = 64 * 16;

/** Adds jobs that are due at once, in all partitions. */
async function addCrowd(jobs: number): Promise<void> {
  await database.pool.query(
    `insert into jobs (partition_id, due_at, id, client, scheduled_for, method, url)
     select n % 64, now() - interval '5 s' + n / 64 * interval '1 us', gen_random_uuid(), $1, now(), 'POST', ''
     from generate_series(0, $2::int4 - 1) n`,
    [clientIdOf(1), jobs],
  );
}

/**
 * Returns the rows that looks read. Sixteen jobs of each partition are requested, with the plan that a connection
 * reuses.
 */
async function rowsReadOfLooks(): Promise<Record<string, number>> {
  const all = (value: string) => `{${Array.from({ length: 64 }, () => value).join(',')}}`;
  const partitions = `{${Array.from({ length: 64 }, (_, partition) => partition).join(',')}}`;
  const after = { partitions, dues: all('0'), ids: all(jobIdOf(0)) };
  const range = { ...after, untilDues: all('4102444800000000'), untilIds: all(jobIdOf(0)) };
  const ofClient = (client: number, priorities = '{}') =>
    readOfClients.with({ ...range, clients: all(clientIdOf(client)), priorities, limits: all('1'), rows: 16 });
  const skips = { everywhere: `{${clientIdOf(1)}}`, partly: '{}', partlyIn: '{}', bands: '{}', bandsIn: '{}' };
  const urgentAlone = { ...skips, bands: `{${clientIdOf(2)}/high}`, bandsIn: '{-1}' };
  const statements = {
    look: scanDue.with({ ...after, limit: 16, nearMs: 50 }),
    peek: peekDue.with({ ...after, limit: 16 }),
    'look of the crowd': ofClient(1),
    'look of another client': ofClient(2),
    'look of what is urgent': ofClient(1, all('high')),
    sweep: sweepDue.with({ ...range, ...skips, limit: 16 }),
    'sweep of what is not urgent': sweepDue.with({ ...range, ...urgentAlone, limit: 16 }),
  };
  const read: Record<string, number> = {};
  const connection = await database.pool.connect();
  try {
    for (const [name, { text, values = [] }] of Object.entries(statements)) {
      await connection.query(`prepare looking as ${text}`);
      const params = values.map((value) => `'${String(value)}'`).join(', ');
      const { rows } = await connection.query<ExplainedRow>(
        `explain (analyze, format json, timing off) execute looking (${params})`,
      );
      await connection.query('deallocate looking');
      read[name] = rowsReadOf(rows[0]?.['QUERY PLAN'][0]?.Plan);
    }
  } finally {
    connection.release();
  }
  return read;
}

describe('the history of jobs', () => {
  beforeEach(() => database.empty());
  const history = () => createJobHistory({ pool: database.pool });
  const keep = (historyDays: number, deadDays: number) => history().keep({ historyDays, deadDays });
  const daysOf = async (parent: string) => {
    const { rows } = await database.pool.query<{ day: string }>(
      `select right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::regclass and c.relname ~ '_[0-9]{8}$' order by 1`,
      [parent],
    );
    return rows.map(({ day }) => day);
  };

  it('has partitions for the coming days and creates them once', async () => {
    await keep(0, 0);
    expect((await keep(0, 0)).daysMade).toBe(0);
    for (const parent of ['ended_jobs', 'job_attempts'])
      expect((await daysOf(parent)).length).toBeGreaterThanOrEqual(3);
  });

  it('drops only partitions whose whole day is older than the retention', async () => {
    await database.pool.query(`select make_job_days(now() - interval '9 days', now() - interval '4 days')`);
    const before = await daysOf('ended_jobs');
    expect((await keep(7, 0)).daysDropped).toBeGreaterThanOrEqual(2);
    const after = await daysOf('ended_jobs');
    const { rows } = await database.pool.query<{ first: string }>(
      `select to_char((now() - interval '7 days') at time zone 'UTC', 'YYYYMMDD') as first`,
    );
    expect(after).toEqual(before.filter((day) => day >= (rows[0]?.first ?? '')));
  });

  it('works on a day without a partition, and deletes its rows by age', async () => {
    const [today = ''] = (
      await database.pool.query<{ day: string }>(`select to_char(now() at time zone 'UTC', 'YYYYMMDD') as day`)
    ).rows.map(({ day }) => day);
    await database.pool.query(`drop table job_attempts_${today}`);
    const attempt = `insert into job_attempts (id, at, attempt) values ($1, now() - $2 * interval '1 day', 1)`;
    await database.pool.query(attempt, [jobIdOf(1), 0]);
    await database.pool.query(attempt, [jobIdOf(2), 9]);
    await keep(7, 0);
    expect(await daysOf('job_attempts')).not.toContain(today);
    const { rows } = await database.pool.query<{ id: string }>('select id from job_attempts');
    expect(rows).toEqual([{ id: jobIdOf(1) }]);

    await database.pool.query('delete from job_attempts');
    await keep(7, 0);
    expect(await daysOf('job_attempts')).toContain(today);
  });

  it('deletes old dead jobs and keeps them in the counts', async () => {
    const old = `insert into dead_jobs (id, client, died_at, cause, job) values ($1, $2, now() - $3 * interval '1 day', 'x', '{}')`;
    await database.pool.query(old, [jobIdOf(1), clientIdOf(1), 11]);
    await database.pool.query(old, [jobIdOf(2), clientIdOf(1), 9]);
    expect((await keep(0, 10)).deadExpired).toBe(1);
    expect((await postgresJobSubject(database.pool).rows()).dead).toMatchObject([{ jobId: jobIdOf(2) }]);
  });

  it('keeps dead jobs for the retention of their client, which may be shorter or longer than the default', async () => {
    const client = 'insert into clients (id, name, definition) values ($1, $2, $3)';
    await database.pool.query(client, [clientIdOf(1), 'brief', { deadJobsDays: 2 }]);
    await database.pool.query(client, [clientIdOf(2), 'long', { deadJobsDays: 400 }]);
    await database.pool.query(client, [clientIdOf(3), 'usual', {}]);
    const old = `insert into dead_jobs (id, client, died_at, cause, job) values ($1, $2, now() - $3 * interval '1 day', 'x', '{}')`;
    const ages = [
      [1, 1],
      [1, 3],
      [2, 399],
      [2, 401],
      [3, 89],
      [3, 91],
      [4, 89],
      [4, 91],
    ] as const;
    for (const [place, [of, days]] of ages.entries()) {
      await database.pool.query(old, [jobIdOf(place), clientIdOf(of), days]);
    }
    const left = async () => (await postgresJobSubject(database.pool).rows()).dead.map(({ jobId }) => jobId);

    expect((await keep(0, 0)).deadExpired).toBe(2);
    expect(await left()).toEqual([0, 2, 4, 5, 6, 7].map(jobIdOf));
    expect((await keep(0, 90)).deadExpired).toBe(2);
    expect(await left()).toEqual([0, 2, 4, 6].map(jobIdOf));
  });
});

describe('a late-job query on Postgres', () => {
  it('finds jobs whose transaction was open during the previous query, and skips jobs committed earlier', async () => {
    await database.empty();
    const due = createDueReferences({ pool: database.pool });
    const subject = postgresJobSubject(database.pool);
    const clientId = clientIdOf(1);
    const [seen] = await subject.add([{ jobId: jobIdOf(1), clientId, dueInMs: 60_000 }]);
    if (!seen) throw new Error('nothing was added');
    const marks = [{ partition: 1, dueUs: seen.dueUs, jobId: seen.jobId }];
    await subject.add([{ jobId: jobIdOf(65), clientId, dueInMs: 120_000 }]);
    let horizon: string | null = null;
    const read = async () => {
      const lateScan = await due.scanLate(marks, horizon);
      horizon = lateScan.horizon;
      return lateScan.late.map(({ jobId }) => jobId);
    };
    // The horizon is before all open transactions of the server, including those in the databases of other tests.
    const untilNothingIsLate = () => expect.poll(read, { timeout: 30_000 }).toEqual([]);
    expect(await read()).toEqual([jobIdOf(1)]);
    await untilNothingIsLate();

    const moving = await database.pool.connect();
    await moving.query('begin');
    await moving.query(
      `update jobs set due_at = to_timestamp($2::float8 / 1000000) - interval '500 ms' where id = $1`,
      [...[jobIdOf(65), seen.dueUs]],
    );

    expect(await read()).toEqual([]);
    await moving.query('commit');
    moving.release();
    expect(await read()).toEqual([jobIdOf(65)]);
    await untilNothingIsLate();
  });
});
