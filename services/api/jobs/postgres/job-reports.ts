import type { Pool, PoolClient } from 'pg';
import { writeFailedReport, type JobReport } from '../../../../shared/contracts/jobs/job-reports.ts';
import type { JobOutcome } from '../../../../shared/contracts/jobs/job-shapes.ts';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { inTransaction, retryingDeadlocks } from '../../../../shared/postgres/connection/transaction.ts';
import { clientForgets, keptColumns, keptOf } from '../../../../shared/postgres/jobs/ended-jobs.ts';
import { jobNotifierOn } from '../../../../shared/postgres/jobs/job-notifier.ts';
import { advanceCommitted, wakeKeys, type WokenRow } from '../../../../shared/postgres/jobs/key-wakes.ts';
import { isNotCalled, lockJobs } from './job-statements.ts';

/**
 * Result of a report.
 * - `taken`: the report has an effect.
 * - `unchanged`: the report repeats another, or comes too late to have an effect.
 * - `being-called`: the result of the call is not stored yet.
 * - `later-attempt`: a later attempt has been called since.
 */
export type ReportVerdict =
  | { kind: 'taken' }
  | { kind: 'unchanged' }
  | { kind: 'being-called' }
  | { kind: 'later-attempt'; attempt: number }
  | { kind: 'ended'; outcome: JobOutcome }
  | { kind: 'missing' };

export type JobReports = ReturnType<typeof createJobReports>;

/**
 * Creates the store of reports.
 * @param slot slot of this process's totals, in which jobs reported as done are counted
 */
export function createJobReports({ pool, slot }: { pool: Pool; slot: number }) {
  const notifier = jobNotifierOn(pool);

  return {
    /** Ends the job at most once: a report, a timeout of the report and a cancellation exclude one another. */
    report: async (jobId: string, attempt: number, report: JobReport): Promise<ReportVerdict> => {
      const { verdict, woken } = await retryingDeadlocks(() =>
        inTransaction(pool, (client) => reportLocked(client, { jobId, attempt, report, slot })),
      );
      await advanceCommitted({ pool, slot }, woken);
      if (verdict.kind === 'taken' && report.outcome === 'failed') notifier.committed(0);
      return verdict;
    },
  };
}

interface Reporting {
  jobId: string;
  attempt: number;
  report: JobReport;
  slot: number;
}

type Reported = Promise<{ verdict: ReportVerdict; woken: readonly WokenRow[] }>;

/**
 * Locks the job, then stores the report. The lock is a statement of its own, so that the next statement sees a claim
 * made before the lock.
 */
async function reportLocked(client: PoolClient, { jobId, attempt, report, slot }: Reporting): Reported {
  const only = (verdict: ReportVerdict) => ({ verdict, woken: [] });
  await client.query(lockJobs.with({ ids: plainArray([jobId]), client: null }));
  const [job] = (await client.query<StandingRow>(standingOf.with({ id: jobId }))).rows;
  if (!job) return only(await endedVerdict(client, jobId, report));
  const isOlder = attempt < job.attempt;
  if (job.isFiring) return only(isOlder ? { kind: 'later-attempt', attempt: job.attempt } : { kind: 'being-called' });
  if (isOlder && job.isAwaited) return only({ kind: 'later-attempt', attempt: job.attempt });
  if (report.outcome === 'done') {
    const answer = report.detail ?? null;
    const { rows } = await client.query<WokenRow>(endReported.with({ id: jobId, answer, slot }));
    return { verdict: { kind: 'taken' }, woken: rows };
  }
  // The job will be called again or is already due for that, so no report is awaited.
  if (!job.isAwaited || job.hasFailed) return only({ kind: 'unchanged' });
  await client.query(failReported.with({ id: jobId, report: writeFailedReport(report) }));
  return only({ kind: 'taken' });
}

async function endedVerdict(client: PoolClient, jobId: string, report: JobReport): Promise<ReportVerdict> {
  const [ended] = (await client.query<{ outcome: JobOutcome }>(endOf.with({ id: jobId }))).rows;
  if (!ended) return { kind: 'missing' };
  const isAsReported = ended.outcome === (report.outcome === 'done' ? 'called' : 'dead');
  return isAsReported ? { kind: 'unchanged' } : { kind: 'ended', outcome: ended.outcome };
}

interface StandingRow {
  attempt: number;
  isFiring: boolean;
  isAwaited: boolean;
  hasFailed: boolean;
}

const standingOf = statementOf<{ id: string }>(
  'reported-job',
  ($) => `
  select j.attempt, not (${isNotCalled}) as "isFiring", j.report is not null as "isAwaited",
    coalesce(j.report <> '{}', false) as "hasFailed"
  from jobs j where j.id = ${$('id')}::uuid`,
);

const endOf = statementOf<{ id: string }>(
  'end-of-reported-job',
  ($) => `select outcome from ended_jobs where id = ${$('id')}::uuid order by ended_at desc limit 1`,
);

/**
 * Ends a job that its receiver has reported as done. The end has no HTTP status, because the call was recorded when the
 * receiver accepted it.
 */
const endReported = statementOf<{ id: string; answer: string | null; slot: number }>(
  'end-reported-job',
  ($) => `
  with gone as (
    delete from jobs j where j.id = ${$('id')}::uuid
    returning j.*, ${clientForgets('j')} as forgets
  ), ended as (
    insert into ended_jobs (ended_at, outcome, answer, ${keptColumns})
    select now(), 'called', ${$('answer')}::text, ${keptOf('forgets')} from gone
  ), woken as (${wakeKeys('gone')}
  ), counted as (
    insert into client_totals as t (client, slot, called)
    select client, ${$('slot')}::int2, 1 from gone
    on conflict (client, slot) do update set called = t.called + 1
  )
  select client::text as "clientId", ordering_key as key from gone`,
);

/**
 * Stores a reported failure and makes the job due at once. The dispatcher that claims the job handles it like a job
 * whose report did not arrive in time.
 */
const failReported = statementOf<{ id: string; report: string }>(
  'fail-reported-job',
  ($) => `update jobs set due_at = now(), report = ${$('report')}::text where id = ${$('id')}::uuid`,
);
