import type { Pool } from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCampaignStore } from '../../services/api/campaigns/postgres/campaign-store.ts';
import { createReceiptStore } from '../../services/api/receipts/postgres/receipt-store.ts';
import { createRunReports } from '../../services/api/runs/postgres/run-reports.ts';
import { createRetentionStore } from '../../services/trigger/retain/postgres/retention.ts';
import { createHotPathPool, createPool } from '../../shared/postgres/connection/pool.ts';
import { createSettlements } from '../../shared/postgres/ledger/settlements.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';
import { campaignDefinitionOf } from '../support/conformance/run-rows.ts';
import { createRoles } from '../support/database-roles.ts';
import { databaseForFile } from '../support/file-database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { createPostgresRunRows } from '../support/postgres-run-rows.ts';

const dayMs = 86_400_000;
const endedDaysAgo = 60;
const database = databaseForFile();
/** Connections in the role of the trigger, which owns no table. */
let engine: Pool;
let hot: Pool;

beforeAll(async () => {
  const roles = await createRoles(database.url);
  engine = database.open(createPool, { connectionString: roles.urlFor('engine', database.url) });
  hot = database.open(createHotPathPool, { connectionString: database.url });
});

describe('receipts of a run that ended long ago', () => {
  const retention = () => createRetentionStore({ pool: engine });
  const reports = () => createRunReports({ pool: database.pool });
  const receipts = () => createReceiptStore({ pool: hot, slot: 3 });
  const rows = () => createPostgresRunRows({ pool: database.pool });
  let campaignId: string;

  beforeEach(async () => {
    await database.empty();
    // Drops the weeks of other tests, because stray rows belong to no week.
    for (const kind of ['users', 'receipts', 'steps', 'failures'] as const) await retention().dropWeeks(kind, 1);
    const campaigns = createCampaignStore({ pool: database.pool, quotas: usualQuotas });
    ({ campaignId } = await campaigns.create(campaignDefinitionOf()));
  });

  /** A run with the users u1 to u4, of whom u1 failed and u2 is unknown. */
  async function addRun({ partitioned = true, ended = true, later = 0 } = {}) {
    const at = new Date(Date.now() - endedDaysAgo * dayMs + later);
    const state = ended ? { state: 'completed' as const, endedAt: at } : { state: 'running' as const };
    const runId = await rows().addRun({ campaignId, revision: 1, scheduledFor: at, ...state });
    if (partitioned) await database.pool.query('select make_feed_partitions($1, $1)', [at]);
    const feedId = await rows().addFeed(runId, { country: 'SG', fedUsers: 4, createdAt: at });
    await database.pool.query('update feeds set next_batch_no = 2 where feed = $1', [feedId]);
    await database.pool.query(
      `insert into batches (feed, batch_no, n, first_user, last_user, users)
       values ($1, 1, 4, 'u1', 'u4', '"u1","u2","u3","u4"')`,
      [feedId],
    );
    await rows().addFailure(feedId, { user: 'u1' });
    await rows().addFailure(feedId, { user: 'u2', outcome: 'unknown' });
    await rows().addTotals(feedId, 0, { step: 1, batches: 1, succeeded: 2, failed: 1, unknown: 1 });
    return { runId, feedId };
  }

  const receipt = (runId: string, user: string, delivered = true) => ({
    of: { runId, country: null },
    step: 1,
    user,
    delivered,
    code: null,
    at: new Date(),
    actionType: null,
  });

  async function runWithReceipts(options = {}) {
    const run = await addRun(options);
    const all = ['u1', 'u2', 'u3'].map((user) => receipt(run.runId, user, user !== 'u2'));
    expect(await receipts().record(all)).toEqual(['accepted', 'accepted', 'accepted']);
    return run;
  }

  const expected = [{ step: 1, delivered: 1, undelivered: 0, unexpected: 2 }];
  /** Creates new reports for each call, because a report caches its counts. */
  const figuresOf = async (runId: string) =>
    (await reports().snapshot(runId))?.countries.flatMap((one) => one.receipts);
  const receiptRows = async () => (await database.pool.query('select from receipts')).rowCount;
  const passFiveMinutes = () =>
    database.pool.query(`update runs set receipts_since = receipts_since - interval '6 minutes'`);

  const settlementId = '01930000-0000-7000-8000-00000000ffff';

  /** Settles u2, whose message was not delivered. */
  const settle = (runId: string, outcome: 'succeeded' | 'failed' = 'succeeded') =>
    createSettlements({ pool: hot }).settle({ settlementId, runId }, [
      { user: 'u2', step: 1, country: null, outcome, reason: 'muster.settled', detail: null },
    ]);

  /** Runs all work while the run's row is locked, so that each part waits for the one before. */
  async function inOrder<Result>(runId: string, ...work: (() => Promise<Result>)[]): Promise<Result[]> {
    const client = await database.pool.connect();
    const begun: Promise<Result>[] = [];
    try {
      await client.query('begin');
      await client.query('select from runs where id = $1 for update', [runId]);
      for (const each of work) {
        begun.push(each());
        while ((await database.pool.query(`select from ${lockWaits}`)).rowCount !== begun.length);
      }
      await client.query('commit');
    } finally {
      client.release();
    }
    return await Promise.all(begun);
  }

  async function closeAndCount(): Promise<void> {
    await retention().closeReceipts(7, 10);
    await passFiveMinutes();
    await retention().countReceipts(10);
  }

  it('are deleted after they are counted, and the report keeps its figures', async () => {
    const { runId } = await runWithReceipts();
    expect(await figuresOf(runId)).toEqual(expected);
    await closeAndCount();
    expect(await retention().dropWeeks('receipts', 7)).toEqual({ weeks: 1, heldUp: 0 });
    expect(await receiptRows()).toBe(0);
    expect(await figuresOf(runId)).toEqual(expected);
    const snapshot = await reports().snapshot(runId);
    expect(snapshot?.receiptsDeletedAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(snapshot?.failuresKept).toBe(true);
  });

  it('keep their figures if the failures are deleted first', async () => {
    const { runId } = await runWithReceipts();
    await closeAndCount();
    expect((await retention().dropWeeks('failures', 50)).weeks).toBe(1);
    expect(await receiptRows()).toBe(3);
    expect(await figuresOf(runId)).toEqual(expected);
    expect((await reports().snapshot(runId))?.receiptsDeletedAt).toBeNull();
  });

  it('are not deleted before they are counted, and neither are the failures', async () => {
    const { runId } = await runWithReceipts();
    const dropBoth = async () => [
      (await retention().dropWeeks('receipts', 7)).weeks,
      (await retention().dropWeeks('failures', 7)).weeks,
    ];
    expect(await dropBoth()).toEqual([0, 0]);
    await retention().closeReceipts(7, 10);
    expect(await dropBoth()).toEqual([0, 0]);
    // A statement that has read the run as open may still be writing receipts.
    expect((await retention().countReceipts(10)).runs).toBe(0);
    await passFiveMinutes();
    expect((await retention().countReceipts(10)).runs).toBe(1);
    expect(await dropBoth()).toEqual([1, 1]);
    expect(await figuresOf(runId)).toEqual(expected);
  });

  it('are refused after the run is closed, so that no receipt counts twice', async () => {
    const { runId } = await runWithReceipts();
    await retention().closeReceipts(7, 10);
    const late = ['u3', 'u4'].map((user) => receipt(runId, user));
    expect(await receipts().record(late)).toEqual(['not-kept', 'not-kept']);
    await passFiveMinutes();
    await retention().countReceipts(10);
    await retention().dropWeeks('receipts', 7);
    expect(await receipts().record(late)).toEqual(['not-kept', 'not-kept']);
    expect(await figuresOf(runId)).toEqual(expected);
  });

  it('are counted from failures in several batches', async () => {
    const { runId, feedId } = await addRun();
    // More users than two looks of 20,000 read, in batches of 100.
    await database.pool.query(
      `insert into user_failures (feed, batch_no, step, user_id, outcome, reason, attempts)
       select $1, 10 + k / 100, 1, 'f' || k, 2, 'refused', 1 from generate_series(1, 45000) k`,
      [feedId],
    );
    await database.pool.query(
      `insert into receipts (feed, step, user_id, delivered, at)
       select $1, 1, 'f' || k, k % 3 = 0, now() from generate_series(1, 45000) k where k % 2 = 0`,
      [feedId],
    );
    await database.pool.query(
      'insert into receipt_totals (feed, step, slot, delivered, undelivered) values ($1, 1, 0, 7500, 10000), ($1, 1, 1, 0, 5000)',
      [feedId],
    );
    const before = [{ step: 1, delivered: 0, undelivered: 0, unexpected: 22_500 }];
    expect(await figuresOf(runId)).toEqual(before);
    await closeAndCount();
    await retention().dropWeeks('receipts', 7);
    await retention().dropWeeks('failures', 7);
    expect(await figuresOf(runId)).toEqual(before);
  });

  it('are closed and counted some runs at a time, and never for an open run', async () => {
    for (const later of [0, 1, 2]) await addRun({ later });
    await addRun({ ended: false, later: 3 });
    expect(await retention().closeReceipts(7, 2)).toBe(2);
    expect(await retention().closeReceipts(7, 2)).toBe(1);
    expect(await retention().closeReceipts(7, 2)).toBe(0);
    await passFiveMinutes();
    const countTwo = async () => (await retention().countReceipts(2)).runs;
    expect([await countTwo(), await countTwo(), await countTwo()]).toEqual([2, 1, 0]);
    const { rows: states } = await database.pool.query<{ state: string }>(
      'select receipts_state as state from runs order by scheduled_for',
    );
    expect(states.map(({ state }) => state)).toEqual(['counted', 'counted', 'counted', 'open']);
  });

  it('are deleted in chunks if they are outside of weekly partitions, and afterwards their run is deleted', async () => {
    const { runId } = await runWithReceipts({ partitioned: false });
    expect(await retention().deleteStrays('receipts', 7, 100)).toBe(0);
    expect(await retention().deleteStrays('failures', 7, 100)).toBe(0);
    expect(await retention().deleteRuns(50, 10)).toBe(0);
    await closeAndCount();
    expect(await retention().deleteStrays('receipts', 7, 2)).toBe(2);
    expect(await retention().deleteStrays('receipts', 7, 2)).toBe(1);
    expect(await figuresOf(runId)).toEqual(expected);
    expect((await reports().snapshot(runId))?.receiptsDeletedAt).not.toBeNull();
    expect(await retention().deleteStrays('failures', 7, 100)).toBe(2);
    expect(await figuresOf(runId)).toEqual(expected);
    expect(await retention().deleteRuns(50, 10)).toBe(1);
  });

  const settled = [{ step: 1, delivered: 1, undelivered: 1, unexpected: 1 }];

  it('are counted again after a settlement, so that the report does not change at their deletion', async () => {
    const { runId } = await runWithReceipts();
    await closeAndCount();
    expect(await settle(runId)).toEqual(['settled']);
    expect(await figuresOf(runId)).toEqual(settled);
    expect((await retention().dropWeeks('receipts', 7)).weeks).toBe(0);
    expect((await retention().dropWeeks('failures', 7)).weeks).toBe(0);
    await passFiveMinutes();
    await retention().countReceipts(10);
    expect((await retention().dropWeeks('receipts', 7)).weeks).toBe(1);
    expect(await figuresOf(runId)).toEqual(settled);
  });

  it('count as zero unexpected receipts once all affected users are settled as succeeded', async () => {
    const { runId } = await addRun();
    await receipts().record([receipt(runId, 'u2', false)]);
    await closeAndCount();
    await settle(runId);
    await passFiveMinutes();
    await retention().countReceipts(10);
    await retention().dropWeeks('receipts', 7);
    expect(await figuresOf(runId)).toEqual([{ step: 1, delivered: 0, undelivered: 1, unexpected: 0 }]);
  });

  it('are not counted again after a settlement as failed, because it changes no figure', async () => {
    const { runId } = await runWithReceipts();
    await closeAndCount();
    expect(await settle(runId, 'failed')).toEqual(['settled']);
    expect((await retention().dropWeeks('receipts', 7)).weeks).toBe(1);
    expect(await figuresOf(runId)).toEqual(expected);
  });

  it('are counted again if a settlement happened during the count', async () => {
    const { runId } = await runWithReceipts();
    await retention().closeReceipts(7, 10);
    await passFiveMinutes();
    await inOrder<unknown>(
      runId,
      () => settle(runId),
      () => retention().countReceipts(10),
    );
    expect((await retention().dropWeeks('receipts', 7)).weeks).toBe(0);
    await passFiveMinutes();
    await retention().countReceipts(10);
    await retention().dropWeeks('receipts', 7);
    expect(await figuresOf(runId)).toEqual(settled);
  });

  it.each(['receipts', 'failures'] as const)(
    'keep the week of %s if a settlement happened between its selection and its deletion',
    async (kind) => {
      const { runId } = await runWithReceipts();
      await closeAndCount();
      const [, dropped] = await inOrder<unknown>(
        runId,
        () => settle(runId),
        () => retention().dropWeeks(kind, 7),
      );
      expect(dropped).toEqual({ weeks: 0, heldUp: 0 });
      expect(await receiptRows()).toBe(3);
      expect(await reports().snapshot(runId)).toMatchObject({ receiptsDeletedAt: null, failuresKept: true });
      expect(await figuresOf(runId)).toEqual(settled);
    },
  );

  it.each(['receipts', 'failures'] as const)(
    'keep the unpartitioned %s if a settlement happened between their selection and their deletion',
    async (kind) => {
      const { runId } = await runWithReceipts({ partitioned: false });
      await closeAndCount();
      const [, strays] = await inOrder<unknown>(
        runId,
        () => settle(runId),
        () => retention().deleteStrays(kind, 7, 100),
      );
      expect(strays).toBe(0);
      expect(await figuresOf(runId)).toEqual(settled);
    },
  );

  it('are settled under the same lock as retention, so that neither waits for the other', async () => {
    const { runId } = await runWithReceipts();
    await closeAndCount();
    const unlocked = `select from user_failures where user_id = 'u2' for update skip locked`;
    const [, found] = await inOrder<unknown>(
      runId,
      () => settle(runId),
      async () => {
        const { rowCount } = await database.pool.query(unlocked);
        await database.pool.query('select from runs where id = $1 for update', [runId]);
        return rowCount;
      },
    );
    expect(found).toBe(1);
  });

  it('keep their figures if a settlement happens after their deletion', async () => {
    const { runId } = await runWithReceipts();
    await closeAndCount();
    await retention().dropWeeks('receipts', 7);
    expect(await settle(runId)).toEqual(['settled']);
    expect((await retention().dropWeeks('failures', 7)).weeks).toBe(1);
    expect(await figuresOf(runId)).toEqual(expected);
  });

  it('are not reported as deleted for a run that never had any', async () => {
    const { runId } = await runWithReceipts();
    const other = await addRun({ later: 1 });
    await closeAndCount();
    expect((await retention().dropWeeks('receipts', 7)).weeks).toBe(1);
    expect((await reports().snapshot(runId))?.receiptsDeletedAt).not.toBeNull();
    expect((await reports().snapshot(other.runId))?.receiptsDeletedAt).toBeNull();
  });

  it('do not delay other runs if their count fails, and are counted five minutes later', async () => {
    const failing = await runWithReceipts();
    const next = await runWithReceipts({ later: 1 });
    await retention().closeReceipts(7, 10);
    await passFiveMinutes();
    const forbid = `alter table receipt_totals add constraint uncountable check
      (feed <> '${failing.feedId}' or unexpected_delivered = 0) not valid`;
    const states = async () => {
      const inOrderOfRuns = 'select id, receipts_state as state from runs order by scheduled_for';
      return (await database.pool.query<{ id: string; state: string }>(inOrderOfRuns)).rows;
    };
    try {
      await database.pool.query(forbid);
      const { runs, failed } = await retention().countReceipts(10);
      expect([runs, failed.map(({ runId }) => runId)]).toEqual([2, [failing.runId]]);
      expect(String(failed[0]?.err)).toContain('uncountable');
      expect(await states()).toEqual([
        { id: failing.runId, state: 'closed' },
        { id: next.runId, state: 'counted' },
      ]);
      expect((await retention().countReceipts(10)).runs).toBe(0);
    } finally {
      await database.pool.query('alter table receipt_totals drop constraint if exists uncountable');
    }
    await passFiveMinutes();
    expect(await retention().countReceipts(10)).toEqual({ runs: 1, failed: [] });
  });
});
