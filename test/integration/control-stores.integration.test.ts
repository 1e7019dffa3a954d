import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { isBalanced, stepLines } from '../../shared/domain/step/outcomes.ts';
import { describeCampaignStore } from '../support/conformance/campaign-store.conformance.ts';
import { describeDeadLetters } from '../support/conformance/dead-letters.conformance.ts';
import { describeDueJobs } from '../support/conformance/due-jobs.conformance.ts';
import { describeLeases } from '../support/conformance/leases.conformance.ts';
import { describeRunReports } from '../support/conformance/run-reports.conformance.ts';
import { campaignDefinitionOf } from '../support/conformance/run-rows.ts';
import { createPostgresRunRows } from '../support/postgres-run-rows.ts';
import { databaseForFile } from '../support/file-database.ts';
import { lockWaits, untilOneWaits } from '../support/lock-waits.ts';
import { createCampaignStore } from '../../services/api/campaigns/postgres/campaign-store.ts';
import { createDeadLetters } from '../../shared/postgres/registry/dead-letters.ts';
import { createDueJobs } from '../../services/scheduler/postgres/due-jobs.ts';
import { createRunStore } from '../../services/trigger/keep/postgres/run-store.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { createRunReports } from '../../services/api/runs/postgres/run-reports.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';

const database = databaseForFile();

/** All control stores over the database, emptied. */
async function postgresStores() {
  await database.empty();
  return {
    campaigns: createCampaignStore({ pool: database.pool, quotas: usualQuotas }),
    leases: createLeases({ pool: database.pool }),
    dueJobs: createDueJobs({ pool: database.pool }),
    runs: createRunStore({ pool: database.pool }),
    addJob,
    reports: createRunReports({ pool: database.pool }),
    deadLetters: createDeadLetters({ pool: database.pool }),
    rows: createPostgresRunRows({ pool: database.pool }),
    kept,
    now,
    passTime,
  };
}

async function kept() {
  const { rows } = await database.pool.query<{ key: Buffer | null; value: Buffer | null; reason: string }>(
    'select key, value, reason from dead_letters',
  );
  return rows;
}

async function addJob(job: { campaignId: string; revision: number; dueAt: Date }): Promise<void> {
  const values = [job.dueAt, uuidv7(), job.campaignId, job.revision];
  await database.pool.query(
    'insert into run_starts (partition_id, due_at, id, campaign, revision) values (0, $1, $2, $3, $4)',
    values,
  );
}

async function now(): Promise<Date> {
  const { rows } = await database.pool.query<{ now: Date }>('select now()');
  if (!rows[0]) throw new Error('the database does not know the time');
  return rows[0].now;
}

/** The clock of the database cannot be moved, so leases and due times are moved towards it. */
async function passTime(ms: number): Promise<void> {
  await database.pool.query(`update leases set expires_at = expires_at - $1 * interval '1 ms'`, [ms]);
  await database.pool.query(`update run_starts set due_at = due_at - $1 * interval '1 ms'`, [ms]);
}

describeCampaignStore('on Postgres', postgresStores);
describeLeases('on Postgres', postgresStores);
describeDueJobs('on Postgres', postgresStores);
describeRunReports('on Postgres', postgresStores);
describeDeadLetters('on Postgres', postgresStores);

describe('the firing of due jobs on Postgres', () => {
  async function withOneDueJob() {
    const stores = await postgresStores();
    const { campaignId } = await stores.campaigns.create(campaignDefinitionOf());
    await stores.campaigns.start(campaignId, null);
    const lease = await stores.leases.acquire('scheduler', 'a', 60_000);
    if (!lease) throw new Error('the lease was not free');
    return { ...stores, lease };
  }

  /** Starts a fire that has taken its job and waits until the returned function is called. */
  async function fireHalfway(fire: () => Promise<unknown>) {
    const rival = await database.pool.connect();
    await rival.query('begin');
    await rival.query('lock table runs in access exclusive mode');
    const firing = fire();
    firing.catch(() => undefined);
    await untilOneWaits(database.pool);
    return {
      firing,
      goOn: async () => {
        await rival.query('rollback');
        rival.release();
      },
    };
  }

  it('keeps the lease locked against take-over while jobs become runs', async () => {
    const { dueJobs, lease } = await withOneDueJob();
    const { firing, goOn } = await fireHalfway(() => dueJobs.fire(lease, 10));
    await expect(database.pool.query('select 1 from leases for update nowait')).rejects.toMatchObject({
      code: '55P03',
    });
    await goOn();
    expect(await firing).toMatchObject({ runs: [{ isNew: true }] });
  });

  it('leaves the job if its connection dies halfway, and the next fire creates its run', async () => {
    const { dueJobs, lease } = await withOneDueJob();
    const { firing, goOn } = await fireHalfway(() => dueJobs.fire(lease, 10));
    await database.pool.query(`select pg_terminate_backend(pid, 30000) from ${lockWaits}`);
    await expect(firing).rejects.toThrow();
    await goOn();
    expect(await dueJobs.fire(lease, 10)).toMatchObject({ runs: [{ isNew: true }] });
  });
});

describe('a report snapshot on Postgres', () => {
  it('balances at every moment while users are fed and recorded (P1)', async () => {
    const { campaigns, reports, rows } = await postgresStores();
    const { campaignId } = await campaigns.create(campaignDefinitionOf());
    const runId = await rows.addRun({ campaignId, revision: 1, scheduledFor: new Date(), state: 'running' });
    const feedIds = [await rows.addFeed(runId, { country: 'SG' }), await rows.addFeed(runId, { country: 'ID' })];

    /** Feeds 100 users and then records them, in the same order as for every batch. */
    async function feedAndRecord(feedId: string): Promise<void> {
      await database.pool.query('update feeds set fed_users = fed_users + 100 where feed = $1', [feedId]);
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
