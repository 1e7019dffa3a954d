import { readKeptReport } from '../../../shared/contracts/jobs/job-reports.ts';
import { retryDelayMs } from '../../../shared/domain/job/job-retries.ts';
import type { JudgedJob } from './judge-answer.ts';
import type { CallNote, JobVerdict } from '../ports/call-ledger.ts';
import type { ClientTerms } from '../ports/client-terms.ts';

/**
 * What becomes of a job whose call was accepted and that is due again: its report says that it failed, or has not come
 * in its time. Both are a failed attempt, and no call is made.
 */
export function judgeReport(
  report: string,
  job: Pick<JudgedJob, 'attempt' | 'expiresInMs'>,
  { retries }: Pick<ClientTerms, 'retries'>,
  random: number,
): { verdict: JobVerdict; note: CallNote } {
  const { reason, final, retryAfterMs, detail } = readKeptReport(report);
  const cause = reason === undefined ? 'no report in its time' : `reported as failed: ${reason}`;
  const note = { status: null, latencyMs: null, error: cause, answer: detail };
  const delayMs = final ? null : retryDelayMs(retries, job.attempt, retryAfterMs, random);
  if (delayMs === null) return { verdict: { kind: 'dead', cause }, note };
  if (delayMs >= job.expiresInMs) return { verdict: { kind: 'expired' }, note };
  return { verdict: { kind: 'retry', delayMs }, note };
}
