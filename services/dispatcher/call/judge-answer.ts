import { acceptedAnswer, readKeptReport } from '../../../shared/contracts/jobs/job-reports.ts';
import { retryDelayMs } from '../../../shared/domain/job/job-retries.ts';
import type { HeldJob } from '../jobs/held-job.ts';
import type { CallNote, JobVerdict } from '../ports/call-ledger.ts';
import type { CallbackAnswer } from '../ports/callback-endpoint.ts';
import type { ClientTerms } from '../ports/client-terms.ts';
import type { HostSign } from '../routes/host-breaker.ts';
import type { RouteCallEnd } from '../routes/route-lines.ts';
import { storableText, withoutSecrets } from './without-secrets.ts';

export interface JudgedJob {
  attempt: number;
  /** Milliseconds until the job expires; infinite if it never does. */
  expiresInMs: number;
  /** Milliseconds since the originally requested time. */
  lateMs: number;
  host: string;
}

/** Facts about a call that was made. Times are monotonic. */
export interface MadeCall {
  host: string;
  startedMs: number;
  endedMs: number;
  timeoutMs: number;
  /** Values that were sent and must not be stored. */
  secrets: readonly string[];
  /** True if the call probes a host whose circuit breaker is open. */
  isProbe: boolean;
}

export interface JudgedCall {
  verdict: JobVerdict;
  note: CallNote;
  /** Evidence about the state of the host; `none` if no call was made. */
  sign: HostSign;
  /** Result of the call for the statistics of its route; null if no call was made. */
  routeEnd: RouteCallEnd | null;
}

export function judgeCall(
  answer: CallbackAnswer,
  { attempt, expiresAtMs, clockAheadMs, scheduledForMs }: HeldJob,
  { host, startedMs, endedMs, timeoutMs, secrets, isProbe }: MadeCall,
  terms: AnswerTerms,
  random: number,
): JudgedCall {
  const lateMs = endedMs + clockAheadMs - scheduledForMs;
  const verdict = judgeAnswer(answer, { attempt, expiresInMs: expiresAtMs - endedMs, lateMs, host }, terms, random);
  const latencyMs = endedMs - startedMs;
  const sign = signOf(answer);
  // If a probe gets no response, the job stays sidelined with the same attempt number. Any response to a probe has the
  // same verdict as for other calls.
  const isUnanswered = isProbe && answer.kind === 'unanswered';
  return {
    verdict: isUnanswered ? { kind: 'sidelined', host } : verdict,
    note: noteOf(answer, latencyMs, secrets),
    sign,
    routeEnd: routeEndOf(answer, sign, latencyMs >= timeoutMs),
  };
}

type AnswerTerms = Pick<ClientTerms, 'retries' | 'finalCodes' | 'onGone' | 'reportWithinMs'>;

export function judgeAnswer(answer: CallbackAnswer, job: JudgedJob, terms: AnswerTerms, random: number): JobVerdict {
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
  const requestedDelayMs = answer.kind === 'answered' ? answer.retryAfterMs : null;
  const mayYetBe = answer.kind === 'unsent' || (answer.kind === 'unresolved' && !answer.isFinal);
  const isUnsent = mayYetBe && job.lateMs < unsentForMs;
  const delayMs = isUnsent
    ? unsentDelayMs(job, random)
    : retryDelayMs(terms.retries, job.attempt, requestedDelayMs, random);
  if (delayMs === null) return { kind: 'dead', cause };
  if (delayMs >= job.expiresInMs) return { kind: 'expired' };
  return { kind: isUnsent ? 'released' : 'retry', delayMs };
}

/**
 * Time in milliseconds after the requested time during which a job that cannot be sent is released without a counted
 * attempt. A job cannot be sent if no name server answers, or if this process cannot decrypt the job's secrets. With
 * counted attempts, an outage would end all jobs that become due in it. The time is bounded, because a name may never
 * resolve.
 */
const unsentForMs = 3_600_000;

/**
 * Returns the delay in milliseconds until the next try: a random part, 50 to 100 %, of the time that the job is late.
 * Before that, this time is limited to the range from 1 to 60 s.
 */
function unsentDelayMs({ lateMs }: JudgedJob, random: number): number {
  return Math.min(60_000, Math.max(1000, lateMs)) * (0.5 + random / 2);
}

/**
 * Returns the milliseconds after which the report is late: the time in the body of the response, at most `withinMs`.
 */
function reportDelayMs(body: Buffer, withinMs: number): number {
  const acceptance = acceptedAnswer.safeParse(parsed(body));
  return acceptance.success ? Math.min(acceptance.data.reportWithinSeconds * 1000, withinMs) : withinMs;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

export function signOf(answer: CallbackAnswer): HostSign {
  if (answer.kind === 'unanswered') return 'fails';
  if (answer.kind === 'forbidden' || answer.kind === 'unsent' || answer.kind === 'unresolved') return 'none';
  if (answer.status === gone) return 'gone';
  return answer.status >= 500 || answer.status === tooMany ? 'fails' : 'answers';
}

/**
 * Returns the cause of a failure. Dead jobs are grouped by their cause, so the text contains nothing that differs
 * between jobs.
 */
function causeOf(answer: CallbackAnswer): string {
  return answer.kind === 'answered' ? `status ${answer.status}` : answer.cause;
}

export function isUnauthorised(answer: CallbackAnswer): boolean {
  return answer.kind === 'answered' && answer.status === unauthorised;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function routeEndOf(answer: CallbackAnswer, sign: HostSign, isTimedOut: boolean): RouteCallEnd | null {
  if (sign === 'none') return null;
  if (sign !== 'fails') return { end: 'answered', pressure: null, retryAfterMs: null };
  if (answer.kind !== 'answered')
    return { end: 'unanswered', pressure: isTimedOut ? 'timed-out' : null, retryAfterMs: null };
  const pressure = answer.status === tooMany ? 'throttled' : null;
  return { end: 'unanswered', pressure, retryAfterMs: answer.retryAfterMs };
}

function noteOf(answer: CallbackAnswer, latencyMs: number, secrets: readonly string[]): CallNote {
  if (answer.kind === 'unsent') return { ...noCall, error: causeOf(answer) };
  if (answer.kind !== 'answered') return { status: null, latencyMs, error: causeOf(answer), answer: null };
  const { status, body } = answer;
  const text = body.length === 0 ? null : withoutSecrets(storableText(body), secrets);
  return { status, latencyMs, error: isSuccess(status) ? null : causeOf(answer), answer: text };
}

export const noCall: CallNote = { status: null, latencyMs: null, error: null, answer: null };

/**
 * Returns the verdict on a job that is due again after its receiver accepted a call with the status 202. Either the
 * receiver has reported a failure, or its report has not arrived in time. Both count as a failed attempt, and no call
 * is made now.
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

const accepted = 202;
const unauthorised = 401;
const gone = 410;
const tooMany = 429;
