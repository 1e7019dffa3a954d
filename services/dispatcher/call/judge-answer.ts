import { acceptedAnswer } from '../../../shared/contracts/jobs/job-reports.ts';
import { retryDelayMs } from '../../../shared/domain/job/job-retries.ts';
import type { JobVerdict } from '../ports/call-ledger.ts';
import type { CallbackAnswer } from '../ports/callback-endpoint.ts';
import type { ClientTerms } from '../ports/client-terms.ts';
import type { HostSign } from '../routes/host-breaker.ts';

export interface JudgedJob {
  attempt: number;
  /** Until it expires; infinite when it never does. */
  expiresInMs: number;
  /** Since the time that it was asked for. */
  lateMs: number;
  host: string;
}

/** What an answer means for its job. */
export function judgeAnswer(
  answer: CallbackAnswer,
  job: JudgedJob,
  terms: Pick<ClientTerms, 'retries' | 'finalCodes' | 'onGone' | 'reportWithinMs'>,
  random: number,
): JobVerdict {
  if (answer.kind === 'forbidden') return { kind: 'dead', cause: answer.cause };
  if (answer.kind === 'answered' && isSuccess(answer.status)) {
    if (answer.status !== accepted || terms.reportWithinMs === null) return { kind: 'called' };
    return { kind: 'reporting', delayMs: reportDelayMs(answer.body, terms.reportWithinMs) };
  }
  const cause = causeOf(answer);
  if (answer.kind === 'answered' && answer.status === gone) {
    return terms.onGone === 'sideline' ? { kind: 'sidelined', host: job.host } : { kind: 'dead', cause };
  }
  if (answer.kind === 'answered' && terms.finalCodes.includes(answer.status)) return { kind: 'dead', cause };
  const askedMs = answer.kind === 'answered' ? answer.retryAfterMs : null;
  const mayYetBe = answer.kind === 'unsent' || (answer.kind === 'unresolved' && !answer.isFinal);
  const isUnsent = mayYetBe && job.lateMs < unsentForMs;
  const delayMs = isUnsent ? unsentDelayMs(job, random) : retryDelayMs(terms.retries, job.attempt, askedMs, random);
  if (delayMs === null) return { kind: 'dead', cause };
  if (delayMs >= job.expiresInMs) return { kind: 'expired' };
  return { kind: isUnsent ? 'released' : 'retry', delayMs };
}

/**
 * While no name server says anything, or no key opens what is to be sent, no call is made, and jobs wait without losing
 * an attempt: an outage would end all jobs that fall due in it. For so long; a name may be silent for ever.
 */
const unsentForMs = 3_600_000;

/** The longer a job has waited, the longer until the next look-up: half of that to all of it, 1 to 60 s. */
function unsentDelayMs({ lateMs }: JudgedJob, random: number): number {
  return Math.min(60_000, Math.max(1000, lateMs)) * (0.5 + random / 2);
}

/** As the answer says, and no longer than is waited for any. */
function reportDelayMs(body: Buffer, withinMs: number): number {
  const said = acceptedAnswer.safeParse(parsed(body));
  return said.success ? Math.min(said.data.reportWithinSeconds * 1000, withinMs) : withinMs;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** What the answer tells of the host that gave it, or did not. */
export function signOf(answer: CallbackAnswer): HostSign {
  if (answer.kind === 'unanswered') return 'fails';
  if (answer.kind === 'forbidden' || answer.kind === 'unsent' || answer.kind === 'unresolved') return 'none';
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

const accepted = 202;
const gone = 410;
const tooMany = 429;
