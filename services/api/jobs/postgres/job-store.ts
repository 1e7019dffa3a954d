import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { JobOutcome } from '../../../../shared/contracts/jobs/job-shapes.ts';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { inTransaction, retryingDeadlocks } from '../../../../shared/postgres/connection/transaction.ts';
import { advanceCommitted, type WokenRow } from '../../../../shared/postgres/jobs/key-wakes.ts';
import { jobNotifierOn } from '../../../../shared/postgres/jobs/job-notifier.ts';
import type { NewDueTime } from '../accept/due-time.ts';
import { createJobLists } from './job-lists.ts';
import type { FateRow, JobAttempt, WholeJob, WholeRow } from './job-rows.ts';
import { cancelJobs, fatesOf, findAttempts, findJob, lockJobs, moveJobs, type NamedJobs } from './job-statements.ts';

/** Result of a change. Jobs that are being called, await a report, or have ended do not change. */
export type JobChangeResult =
  | { kind: 'changed' }
  | { kind: 'firing' }
  | { kind: 'reporting' }
  | { kind: 'ended'; outcome: JobOutcome }
  | { kind: 'missing' };

export type JobStore = ReturnType<typeof createJobStore>;

/**
 * Creates the store.
 * @param slot slot of this process's totals, in which cancelled jobs are counted
 */
export function createJobStore({ pool, slot }: { pool: Pool; slot: number }) {
  const notifier = jobNotifierOn(pool);

  return {
    find: async (jobId: string): Promise<WholeJob | undefined> => {
      const { rows } = await pool.query<WholeRow>(findJob.with({ id: jobId }));
      const [row] = rows;
      if (!row) return undefined;
      const attempts = await pool.query<JobAttempt>(findAttempts.with({ id: jobId }));
      return { ...row, attempts: attempts.rows };
    },

    list: createJobLists({ pool }),

    /**
     * Cancels jobs that are not being called, including those that await a report. Returns results in the order of the
     * ids, which must be distinct.
     * @param clientId jobs of other clients are `missing`; undefined matches any client
     */
    cancel: (jobIds: readonly string[], clientId?: string) =>
      change({ pool, slot }, { jobIds, clientId }, (named) => cancelJobs.with({ ...named, slot })),

    /**
     * Moves jobs that are not being called, together with their expiry; sidelined jobs become due again. Returns
     * results in the order of the ids, which must be distinct.
     */
    move: async (jobIds: readonly string[], to: NewDueTime, clientId?: string): Promise<JobChangeResult[]> => {
      const statement = (named: NamedJobs) => moveJobs.with({ ...named, ...movedTo(to) });
      const answers = await change({ pool, slot }, { jobIds, clientId }, statement);
      notifier.committed('dueAt' in to ? 0 : to.delayMs);
      return answers;
    },
  };
}

export function movedTo(to: NewDueTime) {
  return 'dueAt' in to ? { dueAt: to.dueAt.toISOString(), delayMs: 0 } : { dueAt: null, delayMs: to.delayMs };
}

/** Jobs to change. A job of another client is treated as missing. */
interface JobsToChange {
  jobIds: readonly string[];
  clientId?: string | undefined;
}

type Change = (named: NamedJobs) => QueryConfig;

async function change(on: { pool: Pool; slot: number }, jobs: JobsToChange, statement: Change) {
  const { answers, woken } = await retryingDeadlocks(() =>
    inTransaction(on.pool, (client) => changeLocked(client, jobs, statement)),
  );
  await advanceCommitted(on, woken);
  return answers;
}

export interface ChangedJobs {
  answers: JobChangeResult[];
  /** Rows of jobs whose ordering keys must advance after the commit. */
  woken: WokenRow[];
}

/** Locks and changes jobs in two statements, because the second must see the changes for which the first has waited. */
export async function changeLocked(
  connection: PoolClient,
  { jobIds, clientId }: JobsToChange,
  statement: Change,
): Promise<ChangedJobs> {
  const client = clientId ?? null;
  const named = { ids: plainArray(jobIds), client };
  await connection.query(lockJobs.with(named));
  const { rows } = await connection.query<WokenRow & { id: string }>(statement(named));
  const changed = new Set(rows.map(({ id }) => id));
  const others = jobIds.filter((jobId) => !changed.has(jobId));
  const fates =
    others.length === 0
      ? []
      : (await connection.query<FateRow>(fatesOf.with({ ids: plainArray(others), client }))).rows;
  const outcomes = new Map(fates.map(({ id, outcome }) => [id, outcome]));
  const answers = jobIds.map((jobId): JobChangeResult => {
    if (changed.has(jobId)) return { kind: 'changed' };
    const outcome = outcomes.get(jobId);
    if (outcome === undefined) return { kind: 'missing' };
    return outcome === 'firing' || outcome === 'reporting' ? { kind: outcome } : { kind: 'ended', outcome };
  });
  return { answers, woken: rows };
}
