import type { Pool } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  doneOf,
  someBatches,
  startFedRun,
  talliesOf,
  type ExecutionSubject,
} from '../support/conformance/execution-subject.ts';
import { describeBudgets } from '../support/conformance/budgets.conformance.ts';
import { describeCappedUsers } from '../support/conformance/capped-users.conformance.ts';
import { describeCheckedSteps } from '../support/conformance/checked-steps.conformance.ts';
import { describeDryFeeds } from '../support/conformance/dry-feeds.conformance.ts';
import { describeEarlierUsers } from '../support/conformance/earlier-users.conformance.ts';
import { describeFeedContexts } from '../support/conformance/feed-contexts.conformance.ts';
import { describeFeedLimits } from '../support/conformance/feed-limits.conformance.ts';
import { describeFeedOwning } from '../support/conformance/feed-owning.conformance.ts';
import { describeFeeding } from '../support/conformance/feeding.conformance.ts';
import { describeLedgerModel } from '../support/conformance/ledger-model.conformance.ts';
import { describeOutboxSweep } from '../support/conformance/outbox-sweep.conformance.ts';
import { describeReconciliation } from '../support/conformance/reconciliation.conformance.ts';
import { describeRetries } from '../support/conformance/retries.conformance.ts';
import { describeVariants } from '../support/conformance/variants.conformance.ts';
import { describeRunControl } from '../support/conformance/run-control.conformance.ts';
import { describeRunHistory } from '../support/conformance/run-history.conformance.ts';
import { describeRunStore } from '../support/conformance/run-store.conformance.ts';
import { describeStepClaims } from '../support/conformance/step-claims.conformance.ts';
import { describeStepContradictions } from '../support/conformance/step-contradictions.conformance.ts';
import { describeStepFlow } from '../support/conformance/step-flow.conformance.ts';
import { describeStepHandOn } from '../support/conformance/step-hand-on.conformance.ts';
import { describeStepHolds } from '../support/conformance/step-holds.conformance.ts';
import { describeStepEndings } from '../support/conformance/step-endings.conformance.ts';
import { describeStepLedger } from '../support/conformance/step-ledger.conformance.ts';
import { describeSuppressedUsers } from '../support/conformance/suppressed-users.conformance.ts';
import { describeTimedSteps } from '../support/conformance/timed-steps.conformance.ts';
import { describeUnstartedSteps } from '../support/conformance/unstarted-steps.conformance.ts';
import { createPostgresExecutionStores } from '../support/postgres-execution-stores.ts';
import { databaseForFile } from '../support/file-database.ts';
import { makeClockSettable, onSettableClock, setClock } from '../support/postgres-clock.ts';
import { untilOneWaits } from '../support/lock-waits.ts';
import { recordReceipts } from '../../services/api/receipts/postgres/receipt-statements.ts';
import { stepsUnderWay } from '../../shared/postgres/ledger/under-way.ts';
import { selectFailureGroups } from '../../services/api/runs/postgres/run-report-statements.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { followKeys } from '../../services/trigger/end/postgres/step-endings.ts';
import { createStoredAudiences } from '../../shared/postgres/audiences/stored-audiences.ts';
import { findUnstarted } from '../../services/worker/intake/postgres/unstarted-steps.ts';
import * as feedStatements from '../../services/trigger/feed/postgres/feed-statements.ts';
import * as endingStatements from '../../services/trigger/end/postgres/ending-statements.ts';
import * as sweepStatements from '../../services/trigger/sweep/postgres/sweep-statements.ts';
import { inTransaction } from '../../shared/postgres/connection/transaction.ts';
import * as childStatements from '../../shared/postgres/ledger/child-statements.ts';
import * as stepStatements from '../../shared/postgres/ledger/step-statements.ts';

const database = databaseForFile(createHotPathPool);

/** A pool on a clock that only `passTime` moves, so that no assertion depends on the speed of the machine. */
let pool: Pool;
let nowMs: number;

beforeAll(async () => {
  await makeClockSettable(database.pool);
  pool = database.open(createHotPathPool, { connectionString: onSettableClock(database.url) });
});

/** Returns the stores of the execution path over the emptied database. */
async function postgresStores(): Promise<ExecutionSubject> {
  await database.empty();
  nowMs = Date.now();
  await setClock(database.pool, nowMs);
  return createPostgresExecutionStores({ pool, passTime });
}

async function passTime(ms: number): Promise<void> {
  nowMs += ms;
  await setClock(database.pool, nowMs);
}

const endings = new Set(Object.values(endingStatements).map(({ text }) => text));
const planned = {
  ...Object.fromEntries(
    Object.entries({ ...stepStatements, ...childStatements }).map(([name, { text }]) => [name, text]),
  ),
  ...Object.fromEntries(Object.entries(sweepStatements).map(([name, { text }]) => [name, text])),
  ...Object.fromEntries(Object.entries(endingStatements).map(([name, { text }]) => [name, text])),
  findUnstarted: findUnstarted.text,
  writePages: feedStatements.writePages.text,
  stepsUnderWay: stepsUnderWay.text,
  recordReceipts: recordReceipts.text,
};

describeBudgets('on Postgres', postgresStores);
describeStepLedger('on Postgres', postgresStores);
describeStepClaims('on Postgres', postgresStores);
describeStepContradictions('on Postgres', postgresStores);
describeStepFlow('on Postgres', postgresStores);
describeStepHandOn('on Postgres', postgresStores);
describeCappedUsers('on Postgres', postgresStores);
describeCheckedSteps('on Postgres', postgresStores);
describeSuppressedUsers('on Postgres', postgresStores);
describeTimedSteps('on Postgres', postgresStores);
describeStepHolds('on Postgres', postgresStores);
describeLedgerModel('on Postgres', postgresStores, 60);
describeFeedContexts('on Postgres', postgresStores);
describeUnstartedSteps('on Postgres', postgresStores);
describeDryFeeds('on Postgres', postgresStores);
describeFeedOwning('on Postgres', postgresStores);
describeFeeding('on Postgres', postgresStores);
describeFeedLimits('on Postgres', postgresStores);
describeOutboxSweep('on Postgres', postgresStores);
describeRunStore('on Postgres', postgresStores);
describeRunHistory('on Postgres', postgresStores);
describeRunControl('on Postgres', postgresStores);
describeStepEndings('on Postgres', postgresStores);
describeRetries('on Postgres', postgresStores);
describeVariants('on Postgres', postgresStores);
describeReconciliation('on Postgres', postgresStores);
describeEarlierUsers('on Postgres', async () => ({
  ...(await postgresStores()),
  stored: createStoredAudiences({ pool }),
}));

describe('the step ledger on Postgres', () => {
  it('retries when Postgres aborts its transaction to resolve a deadlock', async () => {
    const subject = await postgresStores();
    const { steps } = await startFedRun(subject, someBatches(2, 2));
    const ledger = subject.ledgerOf('a');
    const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [] });
    const rival = await database.pool.connect();
    // The session that detects the deadlock first is aborted. The rival must not be that session.
    await rival.query(`set deadlock_timeout = '1min'`);
    await rival.query('begin');
    const lock = 'select from batch_steps where batch_no = $1 for update';
    await rival.query(lock, [2]);
    const flush = ledger.flush({ results: claimed.map((step) => doneOf(step)), claims: [], begins: [] });
    await untilOneWaits(database.pool);
    await rival.query(lock, [1]);
    await rival.query('rollback');
    rival.release(true);
    expect((await flush).recorded).toHaveLength(2);
  });

  it('writes the same rows from two workers in opposite order without a deadlock', async () => {
    const subject = await postgresStores();
    const { steps } = await startFedRun(subject, someBatches(100, 1));
    const [a, b] = [subject.ledgerOf('a'), subject.ledgerOf('b')];
    const { claimed } = await a.flush({ results: [], claims: steps, begins: [] });
    const records = claimed.map((step) => doneOf(step));
    await Promise.all([
      a.flush({ results: records, claims: steps, begins: [] }),
      b.flush({ results: records.toReversed(), claims: steps.toReversed(), begins: [] }),
    ]);
    expect((await talliesOf(subject))[0]?.feeds[0]?.totals).toMatchObject([{ batches: 100, succeeded: 100 }]);
  });

  it('survives connections that Postgres terminates', async () => {
    const subject = await postgresStores();
    const { steps } = await startFedRun(subject, someBatches(1, 2));
    const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    const ended = await database.pool.query(`select pg_terminate_backend(pid, 30000) ${others}`);
    expect(ended.rowCount).toBeGreaterThan(0);
    const ledger = subject.ledgerOf('a');
    await ledger.lostUsers(steps).catch(() => undefined);
    expect((await ledger.flush({ results: [], claims: steps, begins: [] })).claimed).toHaveLength(1);
  });

  it.each(Object.entries(planned))(
    'uses indexes in the statement %s, even if the tables are empty',
    async (_, statement) => {
      await postgresStores();
      const plan = await inTransaction(database.pool, async (client) => {
        if (endings.has(statement)) await client.query(followKeys);
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${statement}`);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
      expect(plan).not.toMatch(
        /Seq Scan on (batches|batch_steps|user_failures|capped_effects|feeds|run_totals|failure_totals|agenda)/,
      );
      // A partition is read only by its key: any other condition would read whole weeks of other runs.
      for (const [, condition] of plan.matchAll(
        /Scan using \S+ on (?:batches|batch_steps|user_failures|capped_effects)_.*\n(.*)/g,
      ))
        expect(condition).toMatch(/Index Cond: \(\(?feed = /);
    },
  );

  it('counts failures by reason from totals, without reading failure rows', async () => {
    await postgresStores();
    const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(
      `explain (generic_plan) ${selectFailureGroups}`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('failure_totals_pkey');
    expect(plan).not.toContain('user_failures');
  });

  it('reads only the partition of the feed, however many partitions exist', async () => {
    const subject = await postgresStores();
    const { feedId } = await startFedRun(subject, someBatches(1, 2));
    await database.pool.query(`select make_feed_partitions(now() - interval '5 weeks', now() + interval '2 weeks')`);
    const { text, values = [] } = stepStatements.lostBefore.with({
      feeds: `{${feedId}}`,
      batchNos: '{1}',
      steps: '{2}',
    });
    const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off) ${text}`,
      values,
    );
    const scans = rows.flatMap((row) =>
      /Scan .*_(\d{8}|default) /.test(row['QUERY PLAN']) ? [row['QUERY PLAN']] : [],
    );
    const entered = scans.filter((scan) => !scan.includes('never executed'));
    expect(scans.length).toBeGreaterThan(10);
    expect(entered).toHaveLength(2);
  });
});
