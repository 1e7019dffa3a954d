import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBalanced, stepLines } from '../../shared/domain/outcomes.ts';
import type { DueJob } from '../../services/scheduler/ports/due-jobs.ts';
import { describeApiKeys } from '../support/conformance/api-keys.conformance.ts';
import { describeCampaignStore } from '../support/conformance/campaign-store.conformance.ts';
import { describeDeadLetters } from '../support/conformance/dead-letters.conformance.ts';
import { describeDueJobs } from '../support/conformance/due-jobs.conformance.ts';
import { describeIdempotentRequests } from '../support/conformance/idempotent-requests.conformance.ts';
import { describeLeases } from '../support/conformance/leases.conformance.ts';
import { describeRunReports } from '../support/conformance/run-reports.conformance.ts';
import { campaignDefinitionOf } from '../support/conformance/run-rows.ts';
import { createPostgresRunRows } from '../support/postgres-run-rows.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { createApiKeys } from '../../shared/postgres/api-keys.ts';
import { createCampaignStore } from '../../services/api/postgres/campaign-store.ts';
import { createDeadLetters } from '../../shared/postgres/dead-letters.ts';
import { createDueJobs } from '../../services/scheduler/postgres/due-jobs.ts';
import { createIdempotentRequests } from '../../services/api/postgres/idempotent-requests.ts';
import { createLeases } from '../../shared/postgres/leases.ts';
import { createPool } from '../../shared/postgres/pool.ts';
import { createRunReports } from '../../services/api/postgres/run-reports.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  const logger = pino({ level: 'silent' });
  pool = createPool({ connectionString: database.url, applicationName: 'control-stores-test', logger });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** All control stores over the database, emptied. */
async function postgresStores() {
  await pool.query(
    `truncate api_keys, idempotency_keys, campaigns, campaign_revisions, jobs, leases, runs, feeds, user_failures, run_totals, dead_letters`,
  );
  return {
    campaigns: createCampaignStore({ pool }),
    leases: createLeases({ pool }),
    dueJobs: createDueJobs({ pool }),
    reports: createRunReports({ pool }),
    keys: createApiKeys({ pool }),
    requests: createIdempotentRequests({ pool }),
    deadLetters: createDeadLetters({ pool }),
    rows: createPostgresRunRows({ pool }),
    kept,
    now,
    passTime,
  };
}

async function kept() {
  const { rows } = await pool.query<{ key: Buffer | null; value: Buffer | null; reason: string }>(
    'select key, value, reason from dead_letters',
  );
  return rows;
}

async function now(): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('select now()');
  if (!rows[0]) throw new Error('the database does not know the time');
  return rows[0].now;
}

/** The database's clock cannot be moved: everything that waits for a time is moved towards it instead. */
async function passTime(ms: number): Promise<void> {
  await pool.query(`update leases set expires_at = expires_at - $1 * interval '1 ms'`, [ms]);
  await pool.query(`update jobs set due_at = due_at - $1 * interval '1 ms'`, [ms]);
  await pool.query(`update idempotency_keys set created_at = created_at - $1 * interval '1 ms'`, [ms]);
}

describeCampaignStore('on Postgres', postgresStores);
describeLeases('on Postgres', postgresStores);
describeDueJobs('on Postgres', postgresStores);
describeRunReports('on Postgres', postgresStores);
describeIdempotentRequests('on Postgres', postgresStores);
describeDeadLetters('on Postgres', postgresStores);
describeApiKeys('on Postgres', async () => (await postgresStores()).keys);

describe('firing on Postgres', () => {
  async function withOneDueJob() {
    const stores = await postgresStores();
    const { campaignId } = await stores.campaigns.create(campaignDefinitionOf());
    await stores.campaigns.start(campaignId, null);
    const lease = await stores.leases.acquire('scheduler', 'a', 60_000);
    if (!lease) throw new Error('the lease was not free');
    return { ...stores, lease };
  }

  it('lets nobody take the lease over while jobs are being published', async () => {
    const { dueJobs, lease } = await withOneDueJob();
    let takeOver: Promise<unknown> | undefined;
    await dueJobs.fire(lease, 10, async () => {
      takeOver = pool.query('select 1 from leases for update nowait');
      await takeOver.catch(() => undefined);
    });
    await expect(takeOver).rejects.toMatchObject({ code: '55P03' });
  });

  it('leaves the job when its connection dies in the middle, and the next fire repeats it', async () => {
    const { dueJobs, lease } = await withOneDueJob();
    const published: DueJob[] = [];
    const cut = dueJobs.fire(lease, 10, async (jobs) => {
      published.push(...jobs);
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
      );
    });
    await expect(cut).rejects.toThrow();
    await dueJobs.fire(lease, 10, (jobs) => {
      published.push(...jobs);
      return Promise.resolve();
    });
    expect(published).toHaveLength(2);
    expect(published[0]).toEqual(published[1]);
  });
});

describe('a snapshot on Postgres', () => {
  it('balances at every moment while users are being fed and recorded (P1)', async () => {
    const { campaigns, reports, rows } = await postgresStores();
    const { campaignId } = await campaigns.create(campaignDefinitionOf());
    const runId = await rows.addRun({ campaignId, revision: 1, scheduledFor: new Date(), state: 'running' });
    const feedIds = [await rows.addFeed(runId, { country: 'SG' }), await rows.addFeed(runId, { country: 'ID' })];

    /** Feeds 100 users, then records them: the order in which it happens to every batch. */
    async function feedAndRecord(feedId: string): Promise<void> {
      await pool.query('update feeds set fed_users = fed_users + 100 where feed = $1', [feedId]);
      await rows.addTotals(feedId, 0, { step: 1, batches: 1, succeeded: 98, failed: 2 });
      await rows.addTotals(feedId, 0, { step: 2, batches: 1, succeeded: 98 });
    }
    const writing = Promise.all(
      feedIds.map(async (feedId) => {
        for (let i = 0; i < 50; i++) await feedAndRecord(feedId);
      }),
    );
    for (let i = 0; i < 50; i++) {
      const snapshot = await reports.snapshot(runId);
      for (const { fedUsers, totals } of snapshot?.countries ?? []) {
        expect(stepLines(fedUsers, totals, 2).every(isBalanced)).toBe(true);
      }
    }
    await writing;
    const ended = await reports.snapshot(runId);
    expect(ended?.countries.map((country) => country.fedUsers)).toEqual([5000, 5000]);
  });
});
