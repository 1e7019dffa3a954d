import { describe, expect, it } from 'vitest';
import { jobReport, writeFailedReport } from '../../../shared/contracts/jobs/job-reports.ts';
import { judgeReport } from './judge-answer.ts';

const terms = { retries: { strategy: 'fixed', attempts: 3, delayMs: 1000 } } as const;
const judge = (report: string, of: { attempt?: number; expiresInMs?: number } = {}) =>
  judgeReport(report, { attempt: 1, expiresInMs: Infinity, ...of }, terms, 0.5);

function failed(said: object): string {
  const read = jobReport.parse({ outcome: 'failed', reason: 'no-stock', ...said });
  if (read.outcome !== 'failed') throw new Error('it did not fail');
  return writeFailedReport(read);
}

describe('what becomes of a job whose call was accepted', () => {
  it('it is a failed attempt when no report came in its time', () => {
    const { verdict, note } = judge('{}');
    expect(verdict).toEqual({ kind: 'retry', delayMs: 1000 });
    expect(note).toEqual({ status: null, latencyMs: null, error: 'no report in its time', answer: null });
    expect(judge('{}', { attempt: 3 }).verdict).toEqual({ kind: 'dead', cause: 'no report in its time' });
  });

  it('it is tried again after a report that it failed, not before that says, or given up at once', () => {
    expect(judge(failed({})).verdict).toEqual({ kind: 'retry', delayMs: 1000 });
    expect(judge(failed({ retryAfterSeconds: 60 })).verdict).toEqual({ kind: 'retry', delayMs: 60_000 });
    const given = judge(failed({ final: true, detail: 'gone for good' }));
    expect(given.verdict).toEqual({ kind: 'dead', cause: 'reported as failed: no-stock' });
    expect(given.note.answer).toBe('gone for good');
  });

  it('it expires where the next call would come too late', () => {
    expect(judge('{}', { expiresInMs: 900 }).verdict).toEqual({ kind: 'expired' });
  });

  it('a report that cannot be read is one that has not come', () => {
    expect(judge('nonsense').verdict).toEqual({ kind: 'retry', delayMs: 1000 });
  });
});
