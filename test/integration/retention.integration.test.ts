import type { Pool } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCampaignStore } from '../../services/api/campaigns/postgres/campaign-store.ts';
import { createRunReports } from '../../services/api/runs/postgres/run-reports.ts';
import { createRetentionStore } from '../../services/trigger/retain/postgres/retention.ts';
import { campaignDefinitionOf } from '../support/conformance/run-rows.ts';
import { describeRetention, type RetentionSubject } from '../support/conformance/retention.conformance.ts';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { createRoles, type DatabaseRoles } from '../support/database-roles.ts';
import { databaseForFile } from '../support/file-database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { createPostgresRunRows } from '../support/postgres-run-rows.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';

const database = databaseForFile();
let roles: DatabaseRoles;
/** Pool with the trigger's rights: it owns no table. */
let engine: Pool;

beforeAll(async () => {
  roles = await createRoles(database.url);
  engine = database.open(createPool, { connectionString: roles.urlFor('engine', database.url) });
});

/**
 * Returns stores over emptied tables. An old week has partitions only if a feed was created in it. With `partitioned`
 * false, it has none, so that its rows are strays.
 */
async function postgresStores({ partitioned = true } = {}): Promise<RetentionSubject> {
  await database.empty();
  const retention = createRetentionStore({ pool: engine });
  await database.pool.query(`update runs set receipts_state = 'counted'`);
  for (const kind of ['users', 'receipts', 'steps', 'failures', 'effects'] as const) await retention.dropWeeks(kind, 1);
  const rows = createPostgresRunRows({ pool: database.pool });
  return {
    campaigns: createCampaignStore({ pool: database.pool, quotas: usualQuotas }),
    reports: createRunReports({ pool: database.pool }),
    rows: {
      ...rows,
      addFeed: async (runId, feed) => {
        if (partitioned)
          await database.pool.query('select make_feed_partitions($1, $1)', [feed.createdAt ?? new Date()]);
        return rows.addFeed(runId, feed);
      },
    },
    retention,
    addBatch: async (feedId) => {
      await database.pool.query(
        `insert into batches (feed, batch_no, n, first_user, last_user, users) values ($1, 1, 2, 'u1', 'u2', '"u1","u2"')`,
        [feedId],
      );
      await database.pool.query(
        `insert into batch_steps (feed, batch_no, step, state, epoch, rest, rest_users, failed, unknown) values ($1, 1, 1, 3, 1, 1, 1, 1, 0)`,
        [feedId],
      );
    },
    addPoint: async (runId) => {
      await database.pool.query('insert into run_progress (run, slot, at, ended) values ($1, 0, now(), 0)', [runId]);
    },
    countPoints: async () => {
      const { rows } = await database.pool.query<{ points: number }>(
        'select count(*)::int as points from run_progress',
      );
      return rows[0]?.points ?? 0;
    },
    count: async (feedId) => {
      const { rows } = await database.pool.query<{ users: number; steps: number; failures: number }>(
        `select (select count(*)::int from batches where feed = $1) as users,
           (select count(*)::int from batch_steps where feed = $1) as steps,
           (select count(*)::int from user_failures where feed = $1) as failures`,
        [feedId],
      );
      return rows[0] ?? { users: 0, steps: 0, failures: 0 };
    },
  };
}

describeRetention('on Postgres', postgresStores);

describe('retention on Postgres', () => {
  const dayMs = 86_400_000;

  /** Creates a run that is 60 days old, in a week without a partition. */
  async function strayRun({ ended = true } = {}) {
    const subject = await postgresStores({ partitioned: false });
    const { campaignId } = await subject.campaigns.create({
      name: 'Strays',
      countries: ['SG'],
      audience: { include: [{ segment: 'all' }] },
      chain: [{ action: 'award-reward', params: {} }],
      schedule: { type: 'now' },
      deadlineSeconds: 3600,
      priority: 'normal',
    });
    const at = new Date(Date.now() - 60 * dayMs);
    const state = ended ? { state: 'completed' as const, endedAt: at } : { state: 'running' as const };
    const runId = await subject.rows.addRun({ campaignId, revision: 1, scheduledFor: at, ...state });
    const feedId = await subject.rows.addFeed(runId, { country: 'SG', createdAt: at });
    await subject.addBatch(feedId);
    for (const user of ['u1', 'u2', 'u3']) await subject.rows.addFailure(feedId, { user });
    return { ...subject, runId, feedId };
  }

  it('deletes rows outside of weekly partitions in chunks, users before their steps', async () => {
    const subject = await strayRun();
    const { retention, reports, feedId, runId } = subject;
    expect(await retention.deleteStrays('steps', 14, 100)).toBe(0);
    expect(await retention.deleteStrays('users', 14, 100)).toBe(1);
    expect(await retention.deleteStrays('steps', 14, 100)).toBe(1);
    expect(await retention.deleteStrays('failures', 14, 2)).toBe(2);
    expect(await retention.deleteStrays('failures', 14, 2)).toBe(1);
    expect(await subject.count(feedId)).toEqual({ users: 0, steps: 0, failures: 0 });
    expect((await reports.snapshot(runId))?.failuresKept).toBe(false);
  });

  it('keeps rows outside of weekly partitions while their run has not ended', async () => {
    const subject = await strayRun({ ended: false });
    expect(await subject.retention.deleteStrays('users', 14, 100)).toBe(0);
    expect(await subject.count(subject.feedId)).toMatchObject({ users: 1 });
  });

  it('creates the other weekly partitions if stray rows prevent one', async () => {
    const { feedId } = await strayRun();
    const { rows } = await database.pool.query<{ made: number }>(
      `select make_feed_partitions(now() - interval '60 days', now() - interval '46 days') as made`,
    );
    expect(rows[0]?.made).toBeGreaterThan(0);
    const stray = await database.pool.query(`select from batches_default where feed = $1`, [feedId]);
    expect(stray.rowCount).toBe(1);
  });

  it('deletes the history of a run with the run', async () => {
    const { retention, campaigns, rows } = await postgresStores();
    const { campaignId } = await campaigns.create(campaignDefinitionOf());
    const at = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000);
    const run = { campaignId, revision: 1, state: 'completed' } as const;
    const old = await rows.addRun({ ...run, scheduledFor: at(500), endedAt: at(499) });
    const young = await rows.addRun({ ...run, scheduledFor: at(50), endedAt: at(49) });
    await database.pool.query(`insert into run_events (run, kind) values ($1, 'created'), ($2, 'created')`, [
      old,
      young,
    ]);
    await database.pool.query(`insert into run_paces (run, allowed, taken, at) values ($1, 0, 0, now())`, [old]);

    expect(await retention.deleteRuns(400, 10)).toBe(1);

    expect((await database.pool.query<{ run: string }>('select run from run_events')).rows).toEqual([{ run: young }]);
    expect((await database.pool.query('select from run_paces')).rowCount).toBe(0);
  });

  it('drops receipts with their week, and their sums with the run', async () => {
    const { retention, campaigns, rows } = await postgresStores();
    const { campaignId } = await campaigns.create(campaignDefinitionOf());
    const at = new Date(Date.now() - 500 * dayMs);
    const run = { campaignId, revision: 1, state: 'completed', scheduledFor: at, endedAt: at } as const;
    const feedId = await rows.addFeed(await rows.addRun(run), { country: 'SG', createdAt: at });
    await database.pool.query(
      `insert into receipts (feed, step, user_id, delivered, at) values ($1, 1, 'u1', true, now())`,
      [feedId],
    );
    await database.pool.query('insert into receipt_totals values ($1, 1, 0, 1, 0)', [feedId]);
    await database.pool.query(
      `insert into quarantined_steps (feed, batch_no, step, users, lapses) values ($1, 1, 1, 1, 6)`,
      [feedId],
    );
    await database.pool.query(`insert into step_call_starts (feed, batch_no, step, epoch) values ($1, 1, 1, 2)`, [
      feedId,
    ]);
    const left = async () => {
      const tables = ['receipts', 'receipt_totals', 'quarantined_steps', 'step_call_starts'];
      const counts = await Promise.all(
        tables.map((table) => database.pool.query(`select from ${table} where feed = $1`, [feedId])),
      );
      return counts.map(({ rowCount }) => rowCount);
    };

    expect(await retention.dropWeeks('receipts', 400)).toMatchObject({ weeks: 0 });
    await database.pool.query(`update runs set receipts_state = 'counted'`);
    expect(await retention.dropWeeks('receipts', 400)).toMatchObject({ weeks: 1 });
    expect(await left()).toEqual([0, 1, 1, 1]);
    await retention.dropWeeks('users', 400);
    await retention.dropWeeks('steps', 400);
    expect(await left()).toEqual([0, 1, 0, 0]);
    await retention.deleteRuns(400, 10);
    expect(await left()).toEqual([0, 0, 0, 0]);
  });

  it('skips weeks that a long reader has locked, and writers do not queue behind the reader', async () => {
    const subject = await postgresStores();
    const { retention, campaigns, rows } = subject;
    const { campaignId } = await campaigns.create(campaignDefinitionOf());
    const at = new Date(Date.now() - 60 * dayMs);
    const ended = { campaignId, revision: 1, state: 'completed', scheduledFor: at, endedAt: at } as const;
    const feedId = await subject.rows.addFeed(await rows.addRun(ended), { country: 'SG', createdAt: at });
    const week = await partitionNow(3);
    await database.pool.query(`drop table ${week}`);
    const writer = await database.pool.connect();
    // pg_dump holds these locks until its end.
    const reader = await database.pool.connect();
    try {
      await writer.query(`set lock_timeout = '1s'`);
      await reader.query('begin');
      await reader.query('lock table batches, batch_steps, user_failures in access share mode');
      let isChanging = true;
      const write = async () => {
        for (let batchNo = 1; isChanging; batchNo++) {
          await writer.query(`insert into batches values ($1, $2, 1, null, 1, 'u1', 'u1', '"u1"')`, [feedId, batchNo]);
        }
      };
      const change = async () => {
        const changes = [await retention.makeAhead(), await retention.dropWeeks('users', 14)];
        isChanging = false;
        return changes;
      };
      // A writer that waits behind the reader for more than a second gets an error.
      const [changes] = await Promise.all([change(), write()]);
      expect(changes).toEqual([
        { weeks: 0, heldUp: 1 },
        { weeks: 0, heldUp: 1 },
      ]);
      const waiting = await reader.query(`select from ${lockWaits}`);
      expect(waiting.rowCount).toBe(0);
      await reader.query('rollback');
    } finally {
      await writer.query('reset lock_timeout');
      writer.release();
      reader.release();
    }
    expect(await retention.makeAhead()).toEqual({ weeks: 1, heldUp: 0 });
    expect(await retention.dropWeeks('users', 14)).toEqual({ weeks: 1, heldUp: 0 });
  });

  /** Returns the name of the partition of batches for the week this many weeks from now. */
  async function partitionNow(weeks: number): Promise<string> {
    await createRetentionStore({ pool: database.pool }).makeAhead();
    const { rows } = await database.pool.query<{ name: string }>(
      `select 'batches' || to_char(date_trunc('week', now() + $1::int * interval '7 days', 'UTC') at time zone 'UTC', '_YYYYMMDD') as name`,
      [weeks],
    );
    return rows[0]?.name ?? '';
  }

  it('creates partitions with the storage settings of existing partitions', async () => {
    await (await postgresStores()).retention.makeAhead();
    const { rows } = await database.pool.query<{ parent: string; options: string[] | null; storage: string | null }>(
      `select distinct i.inhparent::regclass::text as parent, c.reloptions as options,
         (select a.attstorage from pg_attribute a where a.attrelid = c.oid and a.attname = 'users') as storage
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent in ('batches'::regclass, 'batch_steps'::regclass, 'user_failures'::regclass)`,
    );
    expect(rows).toHaveLength(3);
    expect(rows.find(({ parent }) => parent === 'batches')).toMatchObject({ storage: 'm' });
  });

  it('deletes old idempotency responses, dead letters and audit log entries', async () => {
    const { retention } = await postgresStores();
    await database.pool.query(
      `insert into idempotency_keys (api_key, key, body_digest, created_at)
       select uuidv7(), k::text, '', now() - k * interval '16 hours' from generate_series(1, 3) k`,
    );
    await database.pool.query(
      `insert into dead_letters (id, topic, partition, "offset", reason, created_at)
       select uuidv7(), 't', 0, k, '', now() - k * interval '20 days' from generate_series(1, 3) k`,
    );
    await database.pool.query(
      `insert into audit_log (number, hash, method, route, status, request_id, at)
       select 4 - k, '', 'POST', '/', 200, k::text, now() - k * interval '20 days' from generate_series(1, 3) k`,
    );
    expect(await retention.deleteAnswers(1, 1)).toBe(1);
    expect(await retention.deleteAnswers(1, 100)).toBe(1);
    expect(await retention.deleteDeadLetters(30, 100)).toBe(2);
    expect(await retention.deleteChanges(30, 1)).toBe(1);
    expect(await retention.deleteChanges(30, 100)).toBe(1);
    expect(await retention.deleteChanges(30, 100)).toBe(0);
  });
});
