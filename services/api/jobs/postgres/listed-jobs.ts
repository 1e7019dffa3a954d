import type { Pool } from 'pg';
import type { ResendResult } from '../../../../shared/contracts/jobs/job-lists.ts';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { retryingDeadlocks } from '../../../../shared/postgres/connection/transaction.ts';
import { advanceCommitted, type WokenRow } from '../../../../shared/postgres/jobs/key-wakes.ts';
import { jobNotifierOn } from '../../../../shared/postgres/jobs/job-notifier.ts';
import type { JobRecord } from './job-rows.ts';
import type { NewDueTime } from '../accept/due-time.ts';
import { createJobStore, movedTo, type JobChangeResult } from './job-store.ts';
import { findJobs, resendJobs } from './list-statements.ts';

/** Maximum number of jobs in one transaction, which locks all its jobs until its commit. */
const jobsAtOnce = 500;

export type ListedJobs = ReturnType<typeof createListedJobs>;

/**
 * Creates the operations on lists of one client's jobs. The ids in a list are distinct, and results are by id. A job of
 * another client is treated as missing.
 * @param slot slot of this process's totals, in which cancelled and resent jobs are counted
 */
export function createListedJobs({ pool, slot }: { pool: Pool; slot: number }) {
  const store = createJobStore({ pool, slot });
  const notifier = jobNotifierOn(pool);

  return {
    find: async (clientId: string, jobIds: readonly string[]): Promise<Map<string, JobRecord>> => {
      const found = new Map<string, JobRecord>();
      for (const part of partsOf(jobIds)) {
        const { rows } = await pool.query<JobRecord>(findJobs.with({ ids: plainArray(part), client: clientId }));
        for (const job of rows) {
          const known = found.get(job.jobId);
          if (!known || isAfter(job, known)) found.set(job.jobId, job);
        }
      }
      return found;
    },

    cancel: (clientId: string, jobIds: readonly string[]) => changeAll(jobIds, (part) => store.cancel(part, clientId)),

    move: (clientId: string, jobIds: readonly string[], to: NewDueTime) =>
      changeAll(jobIds, (part) => store.move(part, to, clientId)),

    /**
     * Sends ended jobs again as new jobs.
     * @param newIdOf returns the id of the new job; a repeat with the same ids sends no job twice
     */
    resend: async (
      clientId: string,
      jobIds: readonly string[],
      { newIdOf, due }: { newIdOf: (jobId: string) => string; due: NewDueTime },
    ): Promise<Map<string, ResendResult>> => {
      const results = new Map<string, ResendResult>();
      for (const part of partsOf(jobIds)) {
        const params = { client: clientId, slot, ...movedTo(due) };
        const [ids, newIds] = [plainArray(part), plainArray(part.map(newIdOf))];
        const { rows } = await retryingDeadlocks(() =>
          pool.query<WokenRow & { jobId: string; result: ResendResult }>(resendJobs.with({ ...params, ids, newIds })),
        );
        for (const { jobId, result } of rows) results.set(jobId, result);
        await advanceCommitted({ pool, slot }, rows);
        notifier.committed('dueAt' in due ? 0 : due.delayMs);
      }
      return results;
    },
  };
}

async function changeAll(
  jobIds: readonly string[],
  change: (part: readonly string[]) => Promise<JobChangeResult[]>,
): Promise<Map<string, JobChangeResult>> {
  const answers = new Map<string, JobChangeResult>();
  for (const part of partsOf(jobIds)) {
    for (const [place, answer] of (await change(part)).entries()) answers.set(part[place] ?? '', answer);
  }
  return answers;
}

/**
 * Returns true if a job is newer than another with the same id. A job that has not ended is newer than all ended ones.
 */
function isAfter(job: JobRecord, other: JobRecord): boolean {
  return job.endedAt === null || (other.endedAt !== null && job.endedAt > other.endedAt);
}

function partsOf(jobIds: readonly string[]): string[][] {
  const parts = Math.ceil(jobIds.length / jobsAtOnce);
  return Array.from({ length: parts }, (_, part) => jobIds.slice(part * jobsAtOnce, (part + 1) * jobsAtOnce));
}
