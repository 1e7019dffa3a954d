import { describe, expect, it } from 'vitest';
import { createClientFigures } from '../../services/api/clients/postgres/client-figures.ts';
import { createClientLedgers } from '../../services/api/clients/postgres/client-ledgers.ts';
import { createJobChanges } from '../../services/api/jobs/postgres/job-changes.ts';
import { createLedgerCheck } from '../../services/scheduler/postgres/ledger-check.ts';
import { createJobStore } from '../../services/api/jobs/postgres/job-store.ts';
import { jobIdOf } from '../../shared/domain/job/job-ids.ts';
import { createJobIntake } from '../../shared/postgres/job-intake.ts';
import { createHotPathPool } from '../../shared/postgres/pool.ts';
import { describeClientLedgers } from '../support/conformance/client-ledgers.conformance.ts';
import { describeJobChanges } from '../support/conformance/job-changes.conformance.ts';
import { describeJobStore } from '../support/conformance/job-store.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';

const database = databaseForFile(createHotPathPool);

const claim = `
  insert into fires (partition_id, due_at, id, owner, epoch, lease_until)
  select partition_id, due_at, id, 'a dispatcher', 1, now() + interval '1 minute' from jobs where id = $1`;
const end = `
  with j as (delete from jobs where id = $1 returning *), f as (delete from fires where id = $1),
  d as (insert into dead_jobs (id, client, cause, job) select id, client, coalesce($4, ''), to_jsonb(j) from j where $2 = 'dead')
  insert into ended_jobs (id, client, ended_at, scheduled_for, outcome, attempt, status, error, method, url, key, tags)
  select id, client, clock_timestamp(), scheduled_for, $2, attempt, $3::int2, $4, method, url, key, tags from j`;
const noteAttempt =
  'insert into job_attempts (id, at, attempt, status, error) values ($1, clock_timestamp(), $2, $3, $4)';

const subjectOf = () => ({
  store: createJobStore({ pool: database.pool, slot: 5 }),
  intake: createJobIntake({ pool: database.pool }),
  claim: async (jobId: string) => {
    await database.pool.query(claim, [jobId]);
  },
  end: async (
    jobId: string,
    { outcome, status, error }: { outcome: string; status: number | null; error: string | null },
  ) => {
    await database.pool.query(end, [jobId, outcome, status, error]);
  },
  noteAttempt: async (
    jobId: string,
    { attempt, status, error }: { attempt: number; status: number | null; error: string | null },
  ) => {
    await database.pool.query(noteAttempt, [jobId, attempt, status, error]);
  },
  sideline: async (jobId: string, host: string) => {
    await database.pool.query(`update jobs set due_at = 'infinity', sideline = $2 where id = $1`, [jobId, host]);
  },
  cancelled: async (clientId: string) => {
    const sum = 'select coalesce(sum(cancelled), 0)::int as cancelled from client_totals where client = $1';
    return (await database.pool.query<{ cancelled: number }>(sum, [clientId])).rows[0]?.cancelled ?? 0;
  },
});

describeJobStore('on Postgres', async () => {
  await database.empty();
  return subjectOf();
});

describeJobChanges('on Postgres', async () => {
  await database.empty();
  const { store, intake } = subjectOf();
  return { changes: createJobChanges({ pool: database.pool, slot: 6 }), store, intake };
});

describeClientLedgers('on Postgres', async () => {
  await database.empty();
  const { store, intake, sideline } = subjectOf();
  return {
    ...{ store, intake, sideline },
    ledgers: createClientLedgers({ pool: database.pool }),
    check: createLedgerCheck({ pool: database.pool }),
    figures: createClientFigures({ pool: database.pool }),
    lose: async (jobId) => {
      await database.pool.query('delete from jobs where id = $1', [jobId]);
    },
  };
});

describe('a cancellation on Postgres, beyond its twin', () => {
  it('waits for a claim that is being made, and comes too late', async () => {
    const { store, intake } = subjectOf();
    const clientId = '01890a5d-ac96-774b-bcce-b302099a8057';
    const jobId = jobIdOf(clientId, null);
    const call = { method: 'POST', url: 'https://a.test', headers: null, body: null, tags: null, scheduleId: null };
    await intake.store([{ ...call, jobId, clientId, key: null, dueAt: null, delayMs: 0, relevancyMs: null }], 1);
    const dispatcher = await database.pool.connect();
    try {
      await dispatcher.query('begin');
      await dispatcher.query('select 1 from jobs where id = $1 for key share', [jobId]);
      await dispatcher.query(claim, [jobId]);
      const answer = store.cancel([jobId]);
      await waitUntilBlocked();
      await dispatcher.query('commit');
      expect(await answer).toEqual([{ kind: 'firing' }]);
    } finally {
      dispatcher.release();
    }
  });
});

/** Until another connection waits for a lock: asked for, not slept for. */
async function waitUntilBlocked(): Promise<void> {
  const blocked = `select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  for (;;) {
    const { rows } = await database.pool.query<{ waiting: number }>(blocked);
    if ((rows[0]?.waiting ?? 0) > 0) return;
  }
}
