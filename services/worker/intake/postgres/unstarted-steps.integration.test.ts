import { expect, it } from 'vitest';
import { databaseForFile } from '../../../../test/support/file-database.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';
import { someBatches, startFedRun } from '../../../../test/support/conformance/execution-subject.ts';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { createHotPathPool } from '../../../../shared/postgres/connection/pool.ts';
import { restCode, stepState } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { findUnstarted } from './unstarted-steps.ts';

const database = databaseForFile(createHotPathPool);

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Returns the number of rows that the nodes of a plan returned or removed, over all loops. */
function rowsHandled(node: PlanNode): number {
  const each = node['Actual Rows'] + (node['Rows Removed by Join Filter'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsHandled(child), 0);
  return each * node['Actual Loops'] + below;
}

it('the query for steps without a claim reads each row of its window only a few times, even if Postgres has no statistics', async () => {
  const { pool } = database;
  const subject = createPostgresExecutionStores({ pool, passTime: () => Promise.reject(new Error('not here')) });
  const batches = 2000;
  const { feedId } = await startFedRun(subject, someBatches(batches, 1));
  await pool.query(
    `insert into batch_steps (feed, batch_no, step, state, epoch, rest, rest_users, failed, unknown)
     select $1, b, s, ${stepState.done}, 1, ${restCode.succeeded}, 1, 0, 0
     from generate_series(1, $2::int) b, generate_series(1, 2) s where not (s = 2 and b > $2::int - 10)`,
    [feedId, batches],
  );
  const params = { feeds: plainArray([feedId]), chainLengths: plainArray([2]), froms: plainArray([1]) };
  const { text, values } = findUnstarted.with({ ...params, stepsPerFeed: 400 });
  const { rows: found } = await pool.query<{ steps: unknown[] }>(text, values);
  expect(found[0]?.steps).toHaveLength(10);
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, format json) ${text}`,
    values,
  );
  const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
  expect(plan && rowsHandled(plan.Plan)).toBeLessThan(20 * batches);
});
