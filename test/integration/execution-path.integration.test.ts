import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  doneOf,
  leaseMs,
  someBatches,
  startFedRun,
  type ExecutionSubject,
} from '../support/conformance/execution-subject.ts';
import { describeFeedContexts } from '../support/conformance/feed-contexts.conformance.ts';
import { describeFeedStore } from '../support/conformance/feed-store.conformance.ts';
import { describeOutboxSweep } from '../support/conformance/outbox-sweep.conformance.ts';
import { describeRunStore } from '../support/conformance/run-store.conformance.ts';
import { describeStepLedger } from '../support/conformance/step-ledger.conformance.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { createCampaignStore } from '../../services/api/postgres/campaign-store.ts';
import { createDueJobs } from '../../services/scheduler/postgres/due-jobs.ts';
import { createRunReports } from '../../services/api/postgres/run-reports.ts';
import { createFeedContexts } from '../../services/worker/postgres/feed-contexts.ts';
import { createFeedStore } from '../../services/trigger/postgres/feed-store.ts';
import { createOutboxSweep } from '../../services/trigger/postgres/outbox-sweep.ts';
import { createLeases } from '../../shared/postgres/leases.ts';
import { createHotPathPool } from '../../shared/postgres/pool.ts';
import { createRunStore } from '../../services/trigger/postgres/run-store.ts';
import { createStepLedger } from '../../shared/postgres/step-ledger.ts';
import * as feedStatements from '../../services/trigger/postgres/feed-statements.ts';
import * as stepStatements from '../../shared/postgres/step-statements.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  const logger = pino({ level: 'silent' });
  pool = createHotPathPool({ connectionString: database.url, applicationName: 'execution-path-test', logger });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The stores of the execution path over the database, emptied. */
async function postgresStores(): Promise<ExecutionSubject> {
  await pool.query(
    'truncate campaigns, campaign_revisions, jobs, leases, runs, feeds, batches, batch_steps, user_failures, run_totals',
  );
  return {
    campaigns: createCampaignStore({ pool }),
    runs: createRunStore({ pool }),
    reports: createRunReports({ pool }),
    leases: createLeases({ pool }),
    dueJobs: createDueJobs({ pool }),
    feeds: createFeedStore({ pool }),
    contexts: createFeedContexts({ pool }),
    sweep: createOutboxSweep({ pool }),
    ledgerOf: (owner) => createStepLedger({ pool, owner, slot: owner === 'a' ? 0 : 1, leaseMs }),
    passTime,
  };
}

/** The database's clock cannot be moved: everything that waits for a time is moved towards it instead. */
async function passTime(ms: number): Promise<void> {
  await pool.query(
    `update batch_steps set lease_until = lease_until - $1 * interval '1 ms', next_attempt_at = next_attempt_at - $1 * interval '1 ms'`,
    [ms],
  );
  await pool.query(`update feeds set lease_until = lease_until - $1 * interval '1 ms'`, [ms]);
  await pool.query(
    `update runs set deadline_at = deadline_at - $1 * interval '1 ms', scheduled_for = scheduled_for - $1 * interval '1 ms'`,
    [ms],
  );
}

describeStepLedger('on Postgres', postgresStores);
describeFeedContexts('on Postgres', postgresStores);
describeFeedStore('on Postgres', postgresStores);
describeOutboxSweep('on Postgres', postgresStores);
describeRunStore('on Postgres', postgresStores);

describe('the ledger on Postgres', () => {
  it('tries again when Postgres breaks a deadlock at its cost', async () => {
    const subject = await postgresStores();
    const { steps } = await startFedRun(subject, someBatches(2, 2));
    const ledger = subject.ledgerOf('a');
    const { claimed } = await ledger.flush({ records: [], claims: steps });
    const rival = await pool.connect();
    // The rival would find the deadlock first, and be the victim, if it looked for one as early as the ledger does.
    await rival.query(`set deadlock_timeout = '1min'`);
    await rival.query('begin');
    const lock = 'select from batch_steps where batch_no = $1 for update';
    await rival.query(lock, [2]);
    const flush = ledger.flush({ records: claimed.map((step) => doneOf(step)), claims: [] });
    await someoneWaitsForALock();
    await rival.query(lock, [1]);
    await rival.query('rollback');
    rival.release(true);
    expect((await flush).recorded).toHaveLength(2);
  });

  it('writes the same rows from two workers in opposite order without a deadlock', async () => {
    const subject = await postgresStores();
    const { runId, steps } = await startFedRun(subject, someBatches(100, 1));
    const [a, b] = [subject.ledgerOf('a'), subject.ledgerOf('b')];
    const { claimed } = await a.flush({ records: [], claims: steps });
    const records = claimed.map((step) => doneOf(step));
    await Promise.all([
      a.flush({ records, claims: steps }),
      b.flush({ records: records.toReversed(), claims: steps.toReversed() }),
    ]);
    expect((await subject.runs.tallies())[0]?.feeds[0]?.totals).toMatchObject([{ batches: 100, succeeded: 100 }]);
    expect(await subject.sweep.overdue(runId, 10)).toEqual([]);
  });

  it('survives connections that Postgres ends', async () => {
    const subject = await postgresStores();
    const { steps } = await startFedRun(subject, someBatches(1, 2));
    await pool
      .query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'execution-path-test'`)
      .catch(() => undefined);
    const ledger = subject.ledgerOf('a');
    await ledger.lostUsers(steps).catch(() => undefined);
    expect((await ledger.flush({ records: [], claims: steps })).claimed).toHaveLength(1);
  });

  it.each(Object.entries({ ...stepStatements, writePages: feedStatements.writePages }))(
    'plans %s over indexes even while the tables are empty',
    async (_, statement) => {
      await postgresStores();
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${statement}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).not.toMatch(/Seq Scan on (batches|batch_steps|user_failures|feeds|run_totals)/);
    },
  );
});

async function someoneWaitsForALock(): Promise<void> {
  await expect
    .poll(async () => (await pool.query(`select from pg_locks where not granted`)).rowCount, { interval: 5 })
    .toBeGreaterThan(0);
}
