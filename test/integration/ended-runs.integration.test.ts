import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { seenParamsOf } from '../../services/api/frame/postgres/seen-campaigns.ts';
import { selectComparable, selectOpenRuns } from '../../services/api/runs/postgres/run-report-statements.ts';
import type { SettledUser } from '../../shared/ports/settlements.ts';
import type { UserFailure } from '../../shared/ports/step-ledger.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { inTransaction } from '../../shared/postgres/connection/transaction.ts';
import { createSettlements } from '../../shared/postgres/ledger/settlements.ts';
import {
  doneOf,
  failed,
  someBatches,
  startFedRun,
  type ExecutionSubject,
} from '../support/conformance/execution-subject.ts';
import { explained, pagesOf, type Plan } from '../support/explained.ts';
import { databaseForFile } from '../support/file-database.ts';
import { createPostgresExecutionStores } from '../support/postgres-execution-stores.ts';

const database = databaseForFile(createHotPathPool);
const chain = [{ action: 'award-points', params: {}, unitsPerUser: 2 }];
const unknown = { outcome: 'unknown', reason: 'muster.ambiguous-answer' } as const;

let subject: ExecutionSubject;
beforeEach(async () => {
  await database.empty();
  subject = createPostgresExecutionStores({
    pool: database.pool,
    passTime: () => Promise.reject(new Error('not here')),
  });
});

/**
 * Creates a run with four batches of ten users who cost two units each. Worker `a` has recorded the first two batches,
 * and `b` the others.
 */
async function doneRun(failures: Partial<Record<number, UserFailure[]>> = {}) {
  const budgets = [{ country: 'SG', units: 1000 }];
  const { runId, feedId, steps } = await startFedRun(subject, someBatches(4, 10), { chain, budgets });
  const [context] = await subject.contexts.load([feedId]);
  const unitsPerUser = new Map([[feedId, context?.unitsPerUser ?? []]]);
  for (const [worker, refs] of [
    ['a', steps.slice(0, 2)],
    ['b', steps.slice(2)],
  ] as const) {
    const flush = { results: [], claims: [], begins: [], unitsPerUser };
    const ledger = subject.ledgerOf(worker);
    const { claimed } = await ledger.flush({ ...flush, claims: refs });
    const results = claimed.map((claim) => doneOf(claim, { failures: failures[claim.batchNo] ?? [] }));
    await ledger.flush({ ...flush, results });
  }
  const campaignId = context?.campaignId ?? '';
  const budget = async () => (await subject.budgets.list(campaignId)).map(({ used, reserved }) => [used, reserved]);
  const settle = (outcome: SettledUser['outcome'], ...users: string[]) =>
    createSettlements({ pool: database.pool }).settle(
      { settlementId: uuidv7(), runId },
      users.map((user) => ({ user, step: 1, country: null, outcome, reason: 'seen', detail: null })),
    );
  return { runId, feedId, campaignId, steps, budget, settle };
}

const linesOf = async (table: string) => (await database.pool.query(`select from ${table}`)).rowCount;

describe('a run that has ended', () => {
  it('keeps one row of totals per step, and its report does not change', async () => {
    const { runId } = await doneRun({ 2: [failed('u011')], 4: [failed('u031'), failed('u032', unknown)] });
    const read = async () => {
      const snapshot = await subject.reports.snapshot(runId);
      return [snapshot?.countries, snapshot?.budgets, await subject.reports.failureGroups(runId)];
    };
    const before = await read();
    expect([await linesOf('run_totals'), await linesOf('failure_totals')]).toEqual([2, 3]);
    expect(await subject.runs.finish(runId, 'completed_with_failures', null)).toBe(true);
    expect([await linesOf('run_totals'), await linesOf('failure_totals')]).toEqual([1, 2]);
    expect(await read()).toEqual(before);
  });

  it('charges its budget once, however often it is ended', async () => {
    const { runId, budget } = await doneRun({ 2: [failed('u011')], 4: [failed('u031')] });
    expect(await budget()).toEqual([[76, 0]]);
    await subject.runs.finish(runId, 'completed_with_failures', null);
    expect(await subject.runs.finish(runId, 'completed_with_failures', null)).toBe(false);
    expect(await budget()).toEqual([[76, 0]]);
    const { rows } = await database.pool.query<{ spent: number }>('select past_units::int as spent from budgets');
    expect(rows).toEqual([{ spent: 76 }]);
  });

  it('returns the units of users settled as failed to its budget, once', async () => {
    const { runId, budget, settle } = await doneRun({ 2: [failed('u011', unknown)], 4: [failed('u031', unknown)] });
    await subject.runs.finish(runId, 'completed_with_failures', null);
    expect(await budget()).toEqual([[80, 0]]);
    await settle('succeeded', 'u011');
    expect(await budget()).toEqual([[80, 0]]);
    await settle('failed', 'u031');
    await settle('failed', 'u031', 'u011');
    expect(await budget()).toEqual([[78, 0]]);
    expect(await linesOf('run_totals')).toBe(1);
  });

  it('adds no cost to active runs: with ten times the ended runs, a reservation reads the same number of pages', async () => {
    const { campaignId, feedId, steps } = await doneRun();
    const pagesWith = async (more: number) => {
      await database.pool.query(endedRuns, [campaignId, more]);
      await database.pool.query('analyze runs, feeds, run_totals');
      return pagesReadBy(feedId, steps.length);
    };
    // The first rows make the indexes as deep as they stay.
    const beforeMore = await pagesWith(500);
    expect(await pagesWith(4500)).toBeLessThanOrEqual(1.2 * beforeMore);
  });

  it('adds no cost to the list of open runs: with ten times the ended runs, it reads the same number of pages', async () => {
    const { campaignId } = await doneRun();
    const pagesWith = async (more: number) => {
      await database.pool.query(endedRuns, [campaignId, more]);
      // Otherwise dead rows of earlier tests would be read too.
      await database.pool.query('vacuum analyze runs');
      const { rows } = await database.pool.query<Plan>(`${explained} ${selectOpenRuns}`, [51, null, 'running', null]);
      return pagesOf(rows[0]);
    };
    // The first rows make the indexes as deep as they stay.
    const beforeMore = await pagesWith(500);
    expect(await pagesWith(4500)).toBeLessThanOrEqual(1.2 * beforeMore);
    expect((await subject.reports.list({ state: 'running' }, 50, null)).items).toHaveLength(1);
  });

  it('is compared with earlier runs without reading all runs of its campaign', async () => {
    const { campaignId, runId } = await doneRun();
    await database.pool.query(endedRuns, [campaignId, 4000]);
    await database.pool.query('analyze runs');
    const { text, values } = selectComparable.with({ runId, limit: 5, ...seenParamsOf() });
    const { rows } = await database.pool.query<Plan>(`${explained} ${text}`, values);
    const [all] = (await database.pool.query<Plan>(`${explained} select count(created_at) from runs`)).rows;
    expect(pagesOf(rows[0])).toBeLessThan(pagesOf(all));
  });
});

/** Adds ended runs with eight slots of totals each. The engine leaves one. */
const endedRuns = `
  with r as (
    insert into runs (id, campaign, revision, scheduled_for, state, deadline_at, started_at, ended_at)
    select gen_random_uuid(), $1, 1, now() - n * interval '15 min', 'completed', now(), now(), now()
      from generate_series(1, $2::int) n
    returning id
  ), f as (
    insert into feeds (feed, run, country, segment, snapshot, next_batch_no, fed_users, complete, step_units)
    select gen_random_uuid(), id, 'SG', 's', 's', 101, 10000, true, '{2}' from r returning feed
  )
  insert into run_totals (feed, step, slot, batches, succeeded, done)
  select feed, 1, slot, 1, 100, 1 from f, generate_series(0, 7) slot`;

/** Returns the pages that one more reservation of a batch reads. The reservation is rolled back. */
async function pagesReadBy(feedId: string, batches: number): Promise<number> {
  const pages: number[] = [];
  await inTransaction(database.pool, async (client) => {
    await client.query(
      `insert into batches (feed, batch_no, n, first_user, last_user, users) values ($1, $2, 1, 'v', 'v', '"v"')`,
      [feedId, batches + 1],
    );
    // The first executions also read the catalogue.
    for (let read = 0; read < 3; read++) {
      const { rows } = await client.query<Plan>(`${explained} select * from reserve_budgets($1, $2, $3)`, [
        [feedId],
        [batches + 1],
        [1],
      ]);
      pages.push(pagesOf(rows[0]));
      await client.query('delete from budget_reservations where feed = $1 and batch_no > $2', [feedId, batches]);
    }
    await client.query('delete from batches where feed = $1 and batch_no > $2', [feedId, batches]);
  });
  return pages.at(-1) ?? Number.NaN;
}
