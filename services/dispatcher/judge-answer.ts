import { retryDelayMs } from '../../shared/domain/job/job-retries.ts';
import type { JobVerdict } from './ports/call-ledger.ts';
import type { CallbackAnswer } from './ports/callback-endpoint.ts';
import type { ClientTerms } from './ports/client-terms.ts';

export interface JudgedJob {
  attempt: number;
  /** Until it expires; infinite when it never does. */
  expiresInMs: number;
  host: string;
}

/** What is said of a host by one answer of it. */
export type HostSign = 'answers' | 'fails' | 'gone' | 'none';

/** What an answer means for its job. */
export function judgeAnswer(
  answer: CallbackAnswer,
  job: JudgedJob,
  terms: Pick<ClientTerms, 'retries' | 'onGone'>,
  random: number,
): JobVerdict {
  if (answer.kind === 'forbidden') return { kind: 'dead', cause: answer.cause };
  if (answer.kind === 'answered' && isSuccess(answer.status)) return { kind: 'called' };
  const cause = causeOf(answer);
  if (answer.kind === 'answered' && answer.status === gone) {
    return terms.onGone === 'sideline' ? { kind: 'sidelined', host: job.host } : { kind: 'dead', cause };
  }
  const askedMs = answer.kind === 'answered' ? answer.retryAfterMs : null;
  const delayMs = retryDelayMs(terms.retries, job.attempt, askedMs, random);
  if (delayMs === null) return { kind: 'dead', cause };
  return delayMs >= job.expiresInMs ? { kind: 'expired' } : { kind: 'retry', delayMs };
}

/** What the answer tells of the host that gave it, or did not. */
export function signOf(answer: CallbackAnswer): HostSign {
  if (answer.kind === 'unanswered') return 'fails';
  if (answer.kind === 'forbidden') return 'none';
  if (answer.status === gone) return 'gone';
  return answer.status >= 500 || answer.status === tooMany ? 'fails' : 'answers';
}

/** Why it was no success; groups of dead jobs are made by it, so it holds nothing that differs from job to job. */
export function causeOf(answer: CallbackAnswer): string {
  return answer.kind === 'answered' ? `status ${answer.status}` : answer.cause;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

const gone = 410;
const tooMany = 429;
