import type { Clock } from '../../../shared/ports/clock.ts';
import { circuitHostOf, heldUntilMs, type HeldJob } from '../jobs/held-job.ts';
import type { CallNote, JobVerdict } from '../ports/call-ledger.ts';
import type { CallbackEndpoint } from '../ports/callback-endpoint.ts';
import type { ClientDirectory, ClientTerms } from '../ports/client-terms.ts';
import type { HostSign } from '../routes/host-breaker.ts';
import type { RouteCallEnd } from '../routes/route-lines.ts';
import type { CallOpener } from './call-opener.ts';
import { authorisationIn, callbackOf, completeCall, filledCall } from './call-request.ts';
import { traceCall, type JobTrace, type TraceCallDeps } from './job-traces.ts';
import { isUnauthorised, judgeCall, judgeReport, noCall } from './judge-answer.ts';
import { callMarginMs, withOwnTerms, withoutTerms, type CallTerms } from './own-terms.ts';
import type { ReportInviter } from './report-inviter.ts';

/**
 * Host name that stands for all hosts of a client. The jobs of a disabled client or endpoint are sidelined under this
 * name.
 */
export const everyHost = '*';

export interface CallJobDeps extends TraceCallDeps {
  endpoint: CallbackEndpoint;
  clients: ClientDirectory;
  opener: CallOpener;
  inviter: ReportInviter;
  /**
   * Returns the verdict on a job that must not be called now, because the circuit of its route or host is open. Null if
   * the job may be called.
   */
  refusalOf: (job: HeldJob, host: string) => JobVerdict | null;
  isFirstHand: (job: HeldJob) => boolean;
  /**
   * Returns the monotonic time from which other dispatchers may claim the jobs of this one. No call begins after this
   * time.
   */
  aliveUntilMs: () => number;
  clock: Clock;
}

export interface JobCall {
  job: HeldJob;
  verdict: JobVerdict;
  note: CallNote;
  /** Host that was called, by the name of its circuit breaker. */
  host: string;
  /** Evidence of the call about the state of its host; `none` if no call was made. */
  sign: HostSign;
  terms: ClientTerms | undefined;
  /** Result of the call for the statistics of its route; null or absent if no call was made. */
  routeEnd?: RouteCallEnd | null;
  trace?: JobTrace | null;
}

/** Calls a job, or returns the verdict that explains why the job is not called. Never throws. */
export async function callJob(job: HeldJob, deps: CallJobDeps): Promise<JobCall> {
  const ofClient = deps.clients.termsOf(job.clientId);
  const terms = ofClient && withOwnTerms(ofClient, job);
  if (!terms) return withoutCall(job, withoutTerms(job, deps.clock.monotonicMs()), terms);
  // The API checked the URL when it accepted the job. An invalid URL nevertheless must not end the process.
  if (job.host === '') return withoutCall(job, { kind: 'dead', cause: 'its URL cannot be read' }, terms);
  if (job.report !== null) {
    const expiresInMs = job.expiresAtMs - deps.clock.monotonicMs();
    const judged = judgeReport(job.report, { attempt: job.attempt, expiresInMs }, terms, deps.random());
    return { ...withoutCall(job, judged.verdict, terms), note: judged.note };
  }

  const filled = filledCall(deps.opener.open({ ...job, clientId: terms.ownerId }), job, terms.template);
  const path = filled.kind === 'opened' ? filled.path : job.path;
  const host = job.probeOf ?? circuitHostOf({ host: job.host, path }, terms.sideline.pathPrefixes);
  const refusal = refusalOf(job, host, terms, deps);
  if (refusal) return withoutCall(job, refusal, terms);

  const completing = completeCall(filled, job, terms, deps.inviter);
  const isAuthorised = completing instanceof Promise;
  const sent = isAuthorised ? await completing : completing;
  const lateRefusal = isAuthorised ? refusalOf(job, host, terms, deps) : null;
  if (lateRefusal) return withoutCall(job, lateRefusal, terms);

  const trace = sent.kind === 'opened' ? traceCall(job, sent.headers, terms.trace, deps) : null;
  const startedMs = deps.clock.monotonicMs();
  const times = { nowMs: startedMs, aliveUntilMs: deps.aliveUntilMs() };
  const answer = sent.kind === 'unsent' ? sent : await deps.endpoint.call(callbackOf(job, sent, terms, times));
  const endedMs = deps.clock.monotonicMs();
  if (isAuthorised && isUnauthorised(answer)) terms.auth?.refused(authorisationIn(sent));

  const isProbe = job.probeOf !== null || deps.isFirstHand(job);
  const secrets = sent.kind === 'opened' ? sent.secrets : [];
  const call = { host, startedMs, endedMs, timeoutMs: terms.timeoutMs, secrets, isProbe };
  return { job, host, terms, trace, ...judgeCall(answer, job, call, terms, deps.random()) };
}

/**
 * Returns the verdict on a job that must not be called; null if it may be called. Runs right before the call, and
 * checks everything that may have changed since the job was claimed.
 */
function refusalOf(job: HeldJob, host: string, terms: CallTerms, deps: CallJobDeps): JobVerdict | null {
  const nowMs = deps.clock.monotonicMs();
  if (job.expiresAtMs <= nowMs) return { kind: 'expired' };
  if (terms.pauseReason !== null) return { kind: 'sidelined', host: everyHost };
  const refusal = job.probeOf === null ? deps.refusalOf(job, host) : null;
  if (refusal !== null) return refusal;
  // If the lease expired during the call, another dispatcher could claim the job and call it again. So the job is
  // released, and the next claim gets a full lease.
  if (heldUntilMs(job) - nowMs < terms.timeoutMs + callMarginMs) return { kind: 'released', delayMs: 0 };
  return deps.aliveUntilMs() <= nowMs ? { kind: 'released', delayMs: 0 } : null;
}

function withoutCall(job: HeldJob, verdict: JobVerdict, terms: ClientTerms | undefined): JobCall {
  return { job, host: job.host, verdict, note: noCall, sign: 'none', terms };
}
