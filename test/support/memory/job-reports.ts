import type { JobReports } from '../../../services/api/jobs/postgres/job-reports.ts';
import { awaitedReport, writeFailedReport } from '../../../shared/contracts/jobs/job-reports.ts';
import { jobOutcomes } from '../../../shared/contracts/jobs/job-shapes.ts';
import { atOnce } from './at-once.ts';
import type { CallbackTables } from './callback-tables.ts';
import { countJobs } from './job-tables.ts';
import { createMemoryKeyAdvancer, wakeKey } from './key-advancer.ts';

export function createMemoryJobReports({ tables }: { tables: CallbackTables }): JobReports {
  const { jobs, fires, ended, clock } = tables;
  return {
    report: async (jobId, attempt, reported) => {
      const verdict = await atOnce(() => {
        const job = jobs.get(jobId);
        if (!job) {
          const last = ended.findLast((row) => row.jobId === jobId);
          const outcome = jobOutcomes.find((each) => each === last?.outcome);
          if (!outcome) return { kind: 'missing' } as const;
          const isAsReported = outcome === (reported.outcome === 'done' ? 'called' : 'dead');
          return isAsReported ? ({ kind: 'unchanged' } as const) : ({ kind: 'ended', outcome } as const);
        }
        const isOlder = attempt < job.attempt;
        const later = { kind: 'later-attempt', attempt: job.attempt } as const;
        const report = job.report ?? null;
        if (fires.has(jobId)) return isOlder ? later : ({ kind: 'being-called' } as const);
        if (isOlder && report !== null) return later;
        if (reported.outcome === 'done') {
          jobs.delete(jobId);
          wakeKey(tables, job);
          const note = { status: null, latencyMs: null, error: null, answer: reported.detail ?? null };
          ended.push({ ...job, ...note, endedAtMs: clock.nowMs(), outcome: 'called' });
          countJobs(tables, job.clientId, { called: 1 });
          return { kind: 'taken' } as const;
        }
        if (report !== awaitedReport) return { kind: 'unchanged' } as const;
        jobs.set(jobId, { ...job, dueAtMs: clock.nowMs(), report: writeFailedReport(reported) });
        return { kind: 'taken' } as const;
      });
      const keys = [...tables.wakes].map(({ clientId, key }) => ({ clientId, key }));
      if (verdict.kind === 'taken') await createMemoryKeyAdvancer({ tables }).advance(keys);
      return verdict;
    },
  };
}
