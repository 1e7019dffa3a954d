import type { Pool, PoolClient, QueryConfig } from 'pg';
import { plainArray } from '../../../../shared/postgres/array-literals.ts';
import { inTransaction, retryingDeadlocks } from '../../../../shared/postgres/transaction.ts';
import type { JobChanged, JobStore, NewDueTime } from '../job-store.port.ts';
import { createJobLists } from './job-lists.ts';
import { attemptRow, fateRow, wholeRow } from './job-rows.ts';
import { cancelJobs, fatesOf, findAttempts, findJob, lockJobs, moveJobs } from './job-statements.ts';

/** @param slot of the totals, for what this process cancels */
export function createJobStore({ pool, slot }: { pool: Pool; slot: number }): JobStore {
  return {
    find: async (jobId) => {
      const { rows } = await pool.query<object>(findJob.with({ id: jobId }));
      const [row] = rows;
      if (!row) return undefined;
      const attempts = await pool.query<object>(findAttempts.with({ id: jobId }));
      return { ...wholeRow.parse(row), attempts: attempts.rows.map((each) => attemptRow.parse(each)) };
    },

    list: createJobLists({ pool }),

    cancel: (jobIds) => change(pool, jobIds, (ids) => cancelJobs.with({ ids, slot })),

    move: (jobIds, to) => change(pool, jobIds, (ids) => moveJobs.with({ ids, ...movedTo(to) })),
  };
}

function movedTo(to: NewDueTime) {
  return 'dueAt' in to ? { dueAt: to.dueAt.toISOString(), delayMs: 0 } : { dueAt: null, delayMs: to.delayMs };
}

async function change(pool: Pool, jobIds: readonly string[], statement: (ids: string) => QueryConfig) {
  return await retryingDeadlocks(() =>
    inTransaction(pool, (client) => changeLocked(client, jobIds, statement(plainArray(jobIds)))),
  );
}

/** Two statements: the second has to see what the first has waited for. */
export async function changeLocked(
  client: PoolClient,
  jobIds: readonly string[],
  statement: QueryConfig,
): Promise<JobChanged[]> {
  await client.query(lockJobs.with({ ids: plainArray(jobIds) }));
  const { rows } = await client.query<{ id: string }>(statement);
  const changed = new Set(rows.map(({ id }) => id));
  const others = jobIds.filter((jobId) => !changed.has(jobId));
  const fates = others.length === 0 ? [] : (await client.query<object>(fatesOf.with({ ids: plainArray(others) }))).rows;
  const outcomes = new Map(fates.map((row) => fateRow.parse(row)).map(({ id, outcome }) => [id, outcome]));
  return jobIds.map((jobId): JobChanged => {
    if (changed.has(jobId)) return { kind: 'changed' };
    const outcome = outcomes.get(jobId);
    if (outcome === undefined) return { kind: 'missing' };
    return outcome === null ? { kind: 'firing' } : { kind: 'ended', outcome };
  });
}
