import { describe, expect, it } from 'vitest';
import { jobReport, writeFailedReport } from '../../../shared/contracts/jobs/job-reports.ts';
import { judgeReport } from './judge-answer.ts';

const terms = { retries: { strategy: 'fixed', attempts: 3, delayMs: 1000 } } as const;
const judge = (report: string, of: { attempt?: number; expiresInMs?: number } = {}) =>
  judgeReport(report, { attempt: 1, expiresInMs: Infinity, ...of }, terms, 0.5);

function failed(reported: object): string {
  const read = jobReport.parse({ outcome: 'failed', reason: 'no-stock', ...reported });
  if (read.outcome !== 'failed') throw new Error('it did not fail');
  return writeFailedReport(read);
}

describe('the verdict on a job whose receiver reports later', () => {
  it('is a retry if no report arrived in time, and dead after the last attempt', () => {
    const { verdict, note } = judge('{}');
    expect(verdict).toEqual({ kind: 'retry', delayMs: 1000 });
    expect(note).toEqual({ status: null, latencyMs: null, error: 'no report in its time', answer: null });
    expect(judge('{}', { attempt: 3 }).verdict).toEqual({ kind: 'dead', cause: 'no report in its time' });
  });

  it('is a retry after a report of failure, not before the reported time, or dead if the report is final', () => {
    expect(judge(failed({})).verdict).toEqual({ kind: 'retry', delayMs: 1000 });
    expect(judge(failed({ retryAfterSeconds: 60 })).verdict).toEqual({ kind: 'retry', delayMs: 60_000 });
    const given = judge(failed({ final: true, detail: 'gone for good' }));
    expect(given.verdict).toEqual({ kind: 'dead', cause: 'reported as failed: no-stock' });
    expect(given.note.answer).toBe('gone for good');
  });

  it("is expired if the next call would start after the job's expiry", () => {
    expect(judge('{}', { expiresInMs: 900 }).verdict).toEqual({ kind: 'expired' });
  });

  it('treats an unreadable report as missing', () => {
    expect(judge('nonsense').verdict).toEqual({ kind: 'retry', delayMs: 1000 });
  });
});
